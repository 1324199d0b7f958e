import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { describe, expect, test, vi } from 'vitest'
import { DISPOSE_MS } from '../../link/messages.ts'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'
import { onDispose } from './on-dispose.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = new URL('../../../dist/index.js', import.meta.url).href

/** A file that starts something while it loads. `note` appends to the rig's notes. */
const file = (rig: Rig, body: string) => `
import { appendFileSync, existsSync } from 'node:fs'
import { onDispose } from ${JSON.stringify(framework)}
const note = (what) => appendFileSync(${JSON.stringify(join(rig.root, 'notes.txt'))}, what + '\\n')
const released = () => existsSync(${JSON.stringify(join(rig.root, 'released'))})
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
${body}
`
const handler = (name: string) => `
export default async ({ event }) => {
  note('start ${name}')
  while (event.content === 'held' && !released()) await sleep(5)
  note('end ${name}')
}`
const quick = 'export default () => {}'

describe.each(['inline', 'worker'] as const)('onDispose on the %s dispatcher', (kind) => {
  test('calls the disposers of replaced code after its last handler has ended', async () => {
    await using rig = new Rig(kind)
    const ticks = `const timer = setInterval(() => note('tick old'), 5)
onDispose(() => { clearInterval(timer); note('disposed old') })`
    await rig.dispatcher.replace(rig.source(file(rig, ticks + handler('old'))))
    const running = rig.say(1, 'held')
    await expect.poll(() => rig.notes).toContain('start old')
    await rig.dispatcher.replace(rig.source(file(rig, handler('new'))))
    await rig.say(2, 'free')
    expect(rig.notes).not.toContain('disposed old')
    writeFileSync(join(rig.root, 'released'), '')
    await running
    await expect.poll(() => rig.notes).toContain('disposed old')
    const notes = rig.notes.filter((line) => !line.startsWith('tick'))
    expect(notes).toEqual(['start old', 'start new', 'end new', 'end old', 'disposed old'])
    expect(rig.notes.at(-1)).toBe('disposed old')
  })

  test('calls disposers when the bot stops, newest first, including those that handlers registered', slow, async () => {
    const rig = new Rig(kind)
    const body = `for (const name of ['first', 'second']) onDispose(async () => { await sleep(5); note(name) })
onDispose(() => note('never'))()
export default () => void onDispose(() => note('by a handler'))`
    await rig.dispatcher.replace(rig.source(file(rig, body)))
    await rig.say(1, '')
    await rig.dispatcher.close({ graceMs: 100 })
    expect(rig.notes).toEqual(['by a handler', 'second', 'first'])
    await rig[Symbol.asyncDispose]()
  })

  test('logs a disposer that throws or hangs with its line, and calls the others', slow, async () => {
    const rig = new Rig(kind)
    // The time limit is one of the thread that has the disposer: there, a test's timers are a hundred times as fast.
    const hurry =
      kind === 'worker' ? 'const real = setTimeout; globalThis.setTimeout = (fire, ms) => real(fire, ms / 100); ' : ''
    const body = `${hurry}onDispose(() => note('the last'))
onDispose(() => new Promise(() => {}))
onDispose(() => { throw new Error('no socket') })
onDispose(async () => { throw new Error('no database') })
${quick}`
    await rig.dispatcher.replace(rig.source(file(rig, body)))
    if (kind === 'inline') vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const closing = rig.dispatcher.close({ graceMs: 100 })
    if (kind === 'inline') await vi.advanceTimersByTimeAsync(DISPOSE_MS)
    vi.useRealTimers()
    await closing
    expect(rig.notes).toEqual(['the last'])
    expect(rig.logged('error')).toEqual([
      'v1/message.mjs:10: onDispose failed: no database',
      'v1/message.mjs:9: onDispose failed: no socket',
      'v1/message.mjs:8: onDispose did not end within 2 s; the bot continues without it',
    ])
    await rig[Symbol.asyncDispose]()
  })
})

test('calls the disposers of code that does not load, and keeps those of the running code', async () => {
  await using rig = new Rig('inline')
  await rig.dispatcher.replace(rig.source(file(rig, `onDispose(() => note('serving'))\n${quick}`)))
  const broken = rig.source(file(rig, `onDispose(() => note('broken'))\nthrow new Error('at load')`))
  await expect(rig.dispatcher.replace(broken)).rejects.toThrow('at load')
  expect(rig.notes).toEqual(['broken'])
})

test('each of several bots in one thread calls only its own disposers', async () => {
  await using one = new Rig('inline')
  const two = new Rig('inline')
  const both = [one, two].map((rig, i) =>
    rig.dispatcher.replace(rig.source(file(rig, `onDispose(() => note('bot ${i + 1}'))\n${quick}`))),
  )
  await Promise.all(both)
  await two.dispatcher.close({ graceMs: 0 })
  expect([one.notes, two.notes]).toEqual([[], ['bot 2']])
  await two[Symbol.asyncDispose]()
})

test.each([
  ['blocks', 'for (;;);', 'blocked its thread, which was terminated'],
  ['exits', 'process.exit(3)', 'ended its thread with process.exit(3)'],
])('logs the line of an onDispose function that %s in a worker thread, and closes', slow, async (_how, act, text) => {
  const clock = new VirtualClock()
  const rig = new Rig('worker', { clock })
  await rig.dispatcher.replace(rig.source(file(rig, `onDispose(() => { note('begun'); ${act} })\n${quick}`)))
  const closing = rig.dispatcher.close({ graceMs: 0 })
  await expect.poll(() => rig.notes).toEqual(['begun'])
  if (act.startsWith('for')) await clock.advance(DISPOSE_MS + 500)
  await closing
  expect(rig.logged('error')).toEqual([`v1/message.mjs:7: onDispose ${text}`])
  await rig[Symbol.asyncDispose]()
})

test('does nothing outside a bot', () => {
  expect(onDispose(() => expect.unreachable())).toBeTypeOf('function')
})
