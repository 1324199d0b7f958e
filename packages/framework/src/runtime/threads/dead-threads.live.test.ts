import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Unfinished } from '@botwright/events'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'
import { startWorker } from './bare-worker.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// Threads that are dead or blocked at a moment at which no event of theirs runs.

const until = async (holds: () => boolean): Promise<void> => {
  await expect.poll(holds, { interval: 10, timeout: 10_000, message: String(holds) }).toBe(true)
}

test('a thread that dies after its load, while another one still loads, is replaced', async () => {
  const started = [startWorker(), startWorker()]
  await using rig = new Rig('worker', { workers: 2, started: [...started] })
  const [first, died] = ['first', 'died'].map((name) => join(rig.root, name)) as [string, string]
  const isLoaded = (frames: readonly unknown[][]) => frames.some(([kind]) => kind === 'response')
  let ending: Promise<void> | undefined
  for (const { worker } of started)
    worker.on('message', (frames: readonly unknown[][]) => {
      if (isLoaded(frames)) ending ??= worker.terminate().then(() => writeFileSync(died, ''))
    })
  await rig.dispatcher.replace(
    rig.source(`import { existsSync, writeFileSync } from 'node:fs'
const isFirst = () => { try { writeFileSync('${first}', '', { flag: 'wx' }); return true } catch { return false } }
if (!isFirst()) while (!existsSync('${died}')) await new Promise((resolve) => setTimeout(resolve, 5))
export default () => {}`),
  )
  await Promise.all(Array.from({ length: 8 }, (_, i) => rig.say(i + 1, 'hello')))
  expect(rig.logged('error')).toEqual([expect.stringMatching(/^the bot: ended its thread with process\.exit\(1\)/)])
  expect(rig.dispatcher.restarts).toBe(1)
})

test.each(['ready', 'shutdown'] as const)(
  'events/%s.ts runs although the thread has just died',
  slow,
  async (moment) => {
    const started = [startWorker()]
    await using rig = new Rig('worker', { started: [...started] })
    const file = join(rig.root, 'ran')
    const text = `import { writeFileSync } from 'node:fs'\nexport default () => writeFileSync('${file}', '')`
    await rig.dispatcher.replace(rig.ofMoment(moment, text))
    await started[0]!.worker.terminate()
    await rig.dispatcher.lifecycle(moment)
    expect(existsSync(file)).toBe(true)
  },
)

test('an event whose thread has died gives up if it cannot run again before the bot stops', async () => {
  await using rig = new Rig('worker', { again: () => Promise.reject(new Unfinished()) })
  await rig.dispatcher.replace(rig.source())
  await expect(rig.say(1, 'exit')).rejects.toThrow(Unfinished)
})

test('a stop does not wait for the thread that has just died without events/shutdown.ts', async () => {
  const started = [startWorker()]
  await using rig = new Rig('worker', { started: [...started] })
  await rig.dispatcher.replace(rig.source())
  await started[0]!.worker.terminate()
  await rig.dispatcher.lifecycle('shutdown')
  expect(rig.logged('error')).toEqual([])
})

test('replaced code that blocks its thread after a question is ended', slow, async () => {
  const post = { id: 'q1', channel_id: 'c', created_at: new Date(0).toISOString() }
  const call = (async () => post) as unknown as Call
  await using rig = new Rig('worker', { blockSeconds: 0.5, call })
  const goOn = join(rig.root, 'go-on')
  await rig.dispatcher.replace(
    rig.source(`import { existsSync } from 'node:fs'
export default async (ctx) => {
  await Promise.race([ctx.ask('Color?'), new Promise((resolve) => setInterval(() => existsSync('${goOn}') && resolve(), 5))])
  for (;;);
}`),
  )
  await rig.say(1, 'ask me')
  await rig.dispatcher.replace(rig.source())
  writeFileSync(goOn, '')
  await until(() => rig.logged('error').length > 0)
  expect(rig.logged('error')).toEqual([expect.stringMatching(/^the bot: blocked its thread/)])
})
