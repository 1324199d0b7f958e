import { VirtualClock } from '@botwright/clock'
import { describe, expect, test, vi } from 'vitest'
import { codeOf } from '../../author/error-code.ts'
import { DISPOSE_MS } from '../../link/messages.ts'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'
import { noted, sourceWith } from './resource-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const says = `import db from './db.mjs'
export default ({ event }) => note(event.content + ' ' + db.value)`
const opens = (body: string, more = '') => `export default resource({ open: ${body}${more} })`
const failure = (running: Promise<unknown>) =>
  running.then(
    () => 'no error',
    (error: Error) => `${codeOf(error)} ${error.message}`,
  )

describe.each(['inline', 'worker'] as const)('resources that fail on the %s dispatcher', (kind) => {
  test('code whose resource does not open is not loaded: the old code runs on, and what was open closes', async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(sourceWith(rig, says, { db: noted('old') }))
    const db = `import './pool.mjs'\n${opens(`async () => { throw new Error('no route', { cause: new Error('ECONNREFUSED') }) }`)}`
    const broken = sourceWith(rig, says, { db, pool: noted('pool') })
    expect(await failure(rig.dispatcher.replace(broken))).toBe(
      'ERR_HANDLER v2/db.mjs:8: open failed: no route: ECONNREFUSED',
    )
    await rig.say(1, 'hello')
    expect(rig.notes).toEqual(['open old', 'open pool', 'close pool', 'hello old'])
  })

  test('reading a value while modules load, or in a cycle, is an error with the file', slow, async () => {
    await using rig = new Rig(kind)
    const early = `import db from './db.mjs'\nexport default () => {}\nvoid db.value`
    expect(await failure(rig.dispatcher.replace(sourceWith(rig, early, { db: noted('db') })))).toMatch(
      /^ERR_DEFINITION .*a resource is not open while modules load: read its value in a handler$/,
    )
    const a = `import b from './b.mjs'\n${opens('() => b.value')}`
    const b = `import a from './a.mjs'\n${opens('() => a.value')}`
    expect(await failure(rig.dispatcher.replace(sourceWith(rig, 'export default () => {}', { a, b })))).toMatch(
      /^ERR_DEFINITION v2\/(\w)\.mjs:8: open failed: resources\/(?!\1)\w\.ts is not open yet, because it opens after resources\/\1\.ts\. If they import each other, /,
    )
  })

  test.each([
    ['export default () => 1', 'resources/db.ts has a default export of another kind: export default resource({'],
    [`export default resource({ opne: () => 1 })`, 'resources/db.ts: unknown field "opne"; did you mean open?'],
    [`export default resource({})`, 'resources/db.ts: has no open: give it a function that returns the value'],
    [`export default resource({ open: () => 1, close: 1 })`, 'resources/db.ts: close must be a function'],
    [`export { default } from './pool.mjs'`, 'resources/pool.ts exports the resource of resources/db.ts'],
  ])('%s is an error', slow, async (db, text) => {
    await using rig = new Rig(kind)
    const source = sourceWith(rig, 'export default () => {}', { db, pool: noted('pool') })
    expect(await failure(rig.dispatcher.replace(source))).toContain(`ERR_DEFINITION ${text}`)
  })

  test('a close that throws or hangs is logged with its file, and the others close', slow, async () => {
    const rig = new Rig(kind)
    // The time limit is one of the thread: there, a test's timers are a hundred times as fast.
    const hurry =
      kind === 'worker' ? 'const real = setTimeout; globalThis.setTimeout = (fire, ms) => real(fire, ms / 100); ' : ''
    const throws = opens(`() => 1`, `, close: () => { throw new Error('still in use') }`)
    const hangs = `import './throws.mjs'\n${opens(`() => 1`, `, close: () => new Promise(() => {})`)}`
    const db = opens(`() => note('open db')`, `, close: () => note('close db')`)
    const resources = { throws: `import './db.mjs'\n${throws}`, hangs, db }
    await rig.dispatcher.replace(sourceWith(rig, `${hurry}export default () => {}`, resources))
    if (kind === 'inline') vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const closing = rig.dispatcher.close({ graceMs: 100 })
    if (kind === 'inline') await vi.advanceTimersByTimeAsync(DISPOSE_MS)
    vi.useRealTimers()
    await closing
    expect(rig.notes).toEqual(['open db', 'close db'])
    expect(rig.logged('error')).toEqual([
      'resources/hangs.ts: close did not end within 2 s; the bot continues without it',
      'v1/throws.mjs:8: close failed: still in use',
    ])
    await rig[Symbol.asyncDispose]()
  })
})

test('an open that never ends fails after 20 s, and what it opens later is closed', async () => {
  await using rig = new Rig('inline')
  const db = opens(
    `({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => {
      note('aborted')
      setImmediate(resolve, 'late')
    }))`,
    `, close: (value) => note('close ' + value)`,
  )
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const failed = failure(rig.dispatcher.replace(sourceWith(rig, says, { db })))
  while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(20_000)
  vi.useRealTimers()
  expect(await failed).toBe('ERR_HANDLER resources/db.ts: open failed: it did not end within 20 s')
  await expect.poll(() => rig.notes).toEqual(['aborted', 'close late'])
})

test.each([
  ['the reason of the signal', 'signal.reason', []],
  ['an error with it as its cause', "new Error('aborted', { cause: signal.reason })", []],
  ['another error', "new Error('no route')", ['resources/db.ts: open ended late, and failed: no route']],
])('an open that its signal ends with %s is reported as late, once', async (_what, error, logged) => {
  await using rig = new Rig('inline')
  const db = opens(
    `({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(${error})))`,
    `, close: () => note('close')`,
  )
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const failed = failure(rig.dispatcher.replace(sourceWith(rig, says, { db })))
  while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(20_000)
  vi.useRealTimers()
  expect(await failed).toBe('ERR_HANDLER resources/db.ts: open failed: it did not end within 20 s')
  expect(rig.logged('error')).toEqual(logged)
})

test('code is loaded again although a resource of it does not close', async () => {
  await using rig = new Rig('inline')
  const close = `, close: () => (++closed === 1 ? new Promise(() => {}) : undefined)`
  const db = `let closed = 0\n${opens(`() => (note('open'), 'db')`, close)}`
  await rig.dispatcher.replace(sourceWith(rig, says, { db }))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const renewed = rig.dispatcher.abandon()
  await vi.advanceTimersByTimeAsync(DISPOSE_MS)
  vi.useRealTimers()
  await renewed
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['open', 'open', 'hello db'])
})

test.each([
  ['never ends', 'await new Promise(() => {})', 'did not finish loading within 5 s'],
  ['blocks its thread', 'for (;;);', 'did not finish loading within 5 s'],
  ['exits', 'process.exit(3)', 'ended its thread with code 3 while it loaded'],
])('the error of a reload whose open %s names the resource', slow, async (_how, act, text) => {
  const clock = new VirtualClock()
  await using rig = new Rig('worker', { clock })
  await rig.dispatcher.replace(sourceWith(rig, says, { db: noted('old') }))
  const broken = sourceWith(rig, says, { db: opens(`async () => { note('begun'); ${act} }`) })
  const failed = failure(rig.dispatcher.replace(broken))
  await expect.poll(() => rig.notes).toContain('begun')
  if (!act.startsWith('process')) await clock.advance(5000)
  expect(await failed).toContain(`resources/db.ts: ${text}`)
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['open old', 'begun', 'hello old'])
})

test('a new worker opens its own, and tries again while that fails', slow, async () => {
  await using rig = new Rig('worker')
  const says = `import db from './db.mjs'
export default ({ event, redelivered }) => { if (event.content === 'exit') process.exit(3); note(event.content + ' ' + db.value) }`
  const db = opens(
    `() => { note('open'); if (existsSync('${rig.root}/down')) throw new Error('is down'); return 'db' }`,
  )
  await rig.dispatcher.replace(sourceWith(rig, says, { db }))
  const { writeFileSync, rmSync } = await import('node:fs')
  writeFileSync(`${rig.root}/down`, '')
  void rig.say(1, 'exit', 'a')
  await expect
    .poll(() => rig.logged('error').join('\n'))
    .toContain('a new worker could not load the bot: v1/db.mjs:7: open failed: is down; trying again')
  rmSync(`${rig.root}/down`)
  await rig.say(2, 'hello', 'b')
  expect(rig.notes.at(-1)).toBe('hello db')
})
