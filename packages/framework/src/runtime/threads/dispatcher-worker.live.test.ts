import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { join } from 'node:path'
import { type Clock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const until = async (holds: () => boolean): Promise<void> => {
  await expect.poll(holds, { interval: 10, message: String(holds) }).toBe(true)
}

test('names a handler that blocks its thread, and runs the others in a new worker', inAll, async () => {
  await using rig = new Rig('worker', { blockSeconds: 1 })
  await rig.dispatcher.replace(rig.source())
  const other = rig.say(1, 'sleep 500')
  const blocking = rig.say(2, 'block 60000')
  await until(() => rig.notes.includes('start 2 v1'))
  await until(() => rig.notes.includes('start 1 v1 again'))
  await rig.say(3, 'hello')
  await blocking
  expect(rig.notes.filter((line) => line.startsWith('start 2'))).toHaveLength(3)
  expect(rig.logged('error')[0]).toMatch(/events\/message\.ts: blocked its thread/)
  expect(rig.logged('error').at(-1)).toMatch(/event 2 is set aside after 3 attempts; framework replay 2 runs it again/)
  await other
  expect(rig.notes.filter((line) => line.startsWith('end 1'))).toEqual(['end 1 v1'])
})

test('a thread paused by a debugger does not count as blocked', async () => {
  inspector.open(0, '127.0.0.1')
  try {
    await using rig = new Rig('worker', { blockSeconds: 0.1 })
    await rig.dispatcher.replace(rig.source())
    await rig.say(1, 'block 700')
    expect(rig.notes.filter((line) => line.startsWith('start 1'))).toHaveLength(1)
    expect(rig.logged('error')).toEqual([])
  } finally {
    inspector.close()
  }
})

test(
  'identifies a handler that blocks after an await, and does not set other events aside',
  { tags: 'all/real-time' },
  async () => {
    await using rig = new Rig('worker', { blockSeconds: 1 })
    await rig.dispatcher.replace(rig.source())
    const innocent = [rig.say(1, 'sleep 200'), rig.say(2, 'sleep 200')]
    await Promise.all([...innocent, rig.say(3, 'late-block 60000')])
    expect(rig.notes).toEqual(expect.arrayContaining(['end 1 v1', 'end 2 v1']))
    expect(rig.notes).not.toContain('end 3 v1')
  },
)

test.each(['exit', 'timer'])('replaces a worker that dies by %s, and runs its other events again', async (how) => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  // Sent together: the first event still sleeps when the second one ends the thread.
  const other = rig.say(1, 'sleep 200')
  await rig.say(2, how)
  await other
  await rig.say(3, 'hello')
  expect(rig.notes).toEqual(expect.arrayContaining(['start 1 v1', 'start 1 v1 again', 'end 1 v1', 'end 3 v1']))
  expect(rig.notes.filter((line) => line.startsWith('start 2'))).toHaveLength(3)
  // An error has its line.
  const who = how === 'exit' ? /events\/message\.ts: ended its thread/ : /v1\/message\.mjs:15: ended its thread/
  expect(rig.logged('error').join('\n')).toMatch(who)
})

/** Records the waits before threads restart, and ends each of them at once. */
function restarts() {
  const waits: number[] = []
  const clock: Clock = {
    ...systemClock,
    // No fault is so old that it no longer counts.
    monotonic: () => 0,
    after: (ms, fire, options) => {
      const isRestart = options?.keepAlive === true && ms !== FIRST_LOAD_SECONDS * 1000
      if (isRestart) waits.push(ms)
      return systemClock.after(isRestart ? 0 : ms, fire, options)
    },
  }
  return { waits, rig: new Rig('worker', { clock, firstLoadSeconds: FIRST_LOAD_SECONDS }) }
}
const FIRST_LOAD_SECONDS = 77

test('a thread restarts at once after the event that ended it is set aside', inAll, async () => {
  const { waits, rig } = restarts()
  await using _ = rig
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'exit')
  expect(waits).toEqual([0, 250, 0])
  await rig.say(2, 'hello')
  await rig.say(3, 'exit')
  expect(waits).toEqual([0, 250, 0, 0, 250, 0])
})

test('a thread that every event ends restarts after longer and longer waits', { tags: ['all/real-time'] }, async () => {
  const { waits, rig } = restarts()
  await using _ = rig
  await rig.dispatcher.replace(rig.source())
  for (const id of [1, 2, 3, 4]) await rig.say(id, 'exit')
  expect(waits).toEqual([0, 250, 0, 0, 250, 1000, 2000, 5000, 10_000, 30_000, 30_000, 30_000])
  await rig.say(5, 'hello')
  await rig.say(6, 'exit')
  expect(waits.slice(12)).toEqual([30_000, 30_000, 0])
})

test('runs an event again whose worker died once', inAll, async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'exit-once')
  expect(rig.notes).toEqual(['start 1 v1', 'start 1 v1 again', 'end 1 v1'])
})

test('an unhandled rejection is logged with its file, and the worker stays alive', async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'unawaited')
  await until(() => rig.logged('error').length > 0)
  await rig.say(2, 'hello')
  expect(rig.logged('error')).toEqual([
    expect.stringMatching(/events\/message\.ts:\d+: a promise that no code awaits was rejected: nobody awaits me/),
  ])
  expect(rig.notes.filter((line) => line.includes('again'))).toEqual([])
})

test('rejects code that never finishes loading, names its file, and keeps the old code running', inAll, async () => {
  await using rig = new Rig('worker', { loadSeconds: 0.2 })
  await rig.dispatcher.replace(rig.source())
  await expect(rig.dispatcher.replace(rig.source('for (;;);'))).rejects.toThrow(
    /^events\/message\.ts: did not finish loading within [\d.]+ s/,
  )
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['start 1 v1', 'end 1 v1'])
})

test('rejects code that ends its thread while loading, names its file, and logs nothing else', inAll, async () => {
  await using rig = new Rig('worker', { loadSeconds: 30 })
  await rig.dispatcher.replace(rig.source())
  await expect(rig.dispatcher.replace(rig.source('process.exit(1)'))).rejects.toThrow(
    /^events\/message\.ts: ended its thread with code 1 while it loaded/,
  )
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['start 1 v1', 'end 1 v1'])
  expect(rig.logged('error')).toEqual([])
})

test('the first load has a longer time limit than a reload, which has more time if the first one was slow', async () => {
  await using rig = new Rig('worker', { loadSeconds: 0.1 })
  const slow = 'await new Promise((resolve) => setTimeout(resolve, 300))\nexport default () => {}'
  await expect(rig.dispatcher.replace(rig.source(slow))).resolves.toMatchObject({ definitions: [{}] })
  const stuck = 'await new Promise(() => {})\nexport default () => {}'
  await expect(rig.dispatcher.replace(rig.source(stuck))).rejects.toThrow(/did not finish loading within [\d.]+ s/)
})

test(
  'code that is stuck while loading can be cancelled in favor of newer code, even the first load',
  inAll,
  async () => {
    await using rig = new Rig('worker')
    const newer = new AbortController()
    const options = { signal: newer.signal }
    const stuck = [rig.dispatcher.replace(rig.source('for (;;);'), options)]
    stuck.push(rig.dispatcher.replace(rig.source('for (;;);'), options))
    setTimeout(() => newer.abort(new Error('newer code is there')), 100)
    for (const one of stuck) await expect(one).rejects.toThrow('newer code is there')
    await rig.dispatcher.replace(rig.source())
    await rig.say(1, 'hello')
    expect(rig.notes).toEqual(['start 1 v3', 'end 1 v3'])
  },
)

test('concurrent replacements end with the newest code', inAll, async () => {
  await using rig = new Rig('worker', { keepSpare: true })
  await rig.dispatcher.replace(rig.source())
  await Promise.all([1, 2, 3, 4, 5].map(() => rig.dispatcher.replace(rig.source())))
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['start 1 v6', 'end 1 v6'])
})

test('a new worker that has loaded former code for long does not run it after a replacement', inAll, async () => {
  await using rig = new Rig('worker')
  const [gate, loads, notes] = ['gate', 'loads', 'notes.txt'].map((name) => join(rig.root, name)) as [
    string,
    ...string[],
  ]
  const code = (version: string) => `import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
if ('${version}' === 'v1' && existsSync('${gate}')) writeFileSync('${loads}', '')
while ('${version}' === 'v1' && existsSync('${gate}')) await new Promise((resolve) => setTimeout(resolve, 5))
export default (ctx) => {
  appendFileSync('${notes}', '${version} ' + ctx.event.content + '\\n')
  if (ctx.event.content === 'exit') process.exit(3)
}`
  await rig.dispatcher.replace(rig.source(code('v1')))
  writeFileSync(gate, '')
  const first = rig.say(1, 'exit')
  await until(() => existsSync(join(rig.root, 'loads')))
  await rig.dispatcher.replace(rig.source(code('v2')))
  await until(() => rig.notes.includes('v2 exit'))
  rmSync(gate)
  await first
  await rig.say(2, 'hello')
  expect(rig.notes).toEqual(['v1 exit', 'v2 exit', 'v2 exit', 'v2 hello'])
})

/** Replaces the code so many times while events arrive; each event must run once. */
async function replaceUnderLoad(times: number): Promise<void> {
  await using rig = new Rig('worker', { keepSpare: true, workers: 2 })
  await rig.dispatcher.replace(rig.source())
  let id = 0
  const runs: Promise<void>[] = []
  for (let round = 0; round < times; round++) {
    const replaced = rig.dispatcher.replace(rig.source())
    for (let i = 0; i < 20; i++) {
      runs.push(rig.say(++id, `sleep ${id % 30}`))
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await replaced
  }
  await Promise.all(runs)
  for (const what of ['start', 'end']) {
    const ids = rig.notes.filter((line) => line.startsWith(what)).map((line) => Number(line.split(' ')[1]))
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: times * 20 }, (_, i) => i + 1))
  }
}
test('replacements under load lose no events and repeat none', inAll, () => replaceUnderLoad(3))
test('ten replacements under load lose no events and repeat none', { tags: 'all/crash-points' }, () =>
  replaceUnderLoad(10),
)

test('the supervisor makes the calls of a handler', inAll, async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'call')
  expect(rig.notes).toContain('me tester')
})

test('ends a thread that is loading code when the bot stops', inAll, async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  const paths = ['loads.txt', 'pulse.txt', 'go-on'].map((name) => JSON.stringify(join(rig.root, name)))
  const [loads, pulse, goOn] = paths
  const slow = `import { appendFileSync, existsSync } from 'node:fs'
appendFileSync(${loads}, '.')
while (!existsSync(${goOn})) await new Promise((resolve) => setTimeout(resolve, 5))
appendFileSync(${pulse}, '.')
setInterval(() => appendFileSync(${pulse}, '.'), 20)
export default () => {}`
  const replacing = rig.dispatcher.replace(rig.source(slow)).catch((error: unknown) => error)
  await until(() => existsSync(join(rig.root, 'loads.txt')))
  const closing = rig.dispatcher.close({ graceMs: 0 })
  writeFileSync(join(rig.root, 'go-on'), '')
  await closing
  expect(String(await replacing)).toContain('the bot is stopping: it accepts no new code')
  // The load finishes first; then its thread ends.
  const file = join(rig.root, 'pulse.txt')
  await until(() => existsSync(file))
  let beats: number
  do {
    beats = readFileSync(file).length
    await new Promise((resolve) => setTimeout(resolve, 250))
  } while (readFileSync(file).length > beats)
})

test('answers that were passed to a thread that dies run again in the threads of their own queues', inAll, async () => {
  await using rig = new Rig('worker', { workers: 2 })
  await rig.dispatcher.replace(
    rig.source(`export default async (ctx) => {
      await ctx.clicked({ id: ctx.content }, { by: 'anyone', timeout: '1m' })
      process.exit(3)
    }`),
  )
  const messages = ['m1', 'm2', 'm3', 'm4']
  await Promise.all(messages.map((message, i) => rig.say(i + 1, message, 'one channel')))
  const clicks = messages.map((message, i) => rig.click(i + 11, message))
  expect(await Promise.all(clicks)).toHaveLength(4)
})

test('an event counts as finished only once it is set aside', inAll, async () => {
  let store!: (isStored: boolean) => void
  const stored = new Promise<boolean>((resolve) => (store = resolve))
  const aside: number[] = []
  await using rig = new Rig('worker', { onDeadLetter: ({ id }) => (aside.push(id), stored) })
  await rig.dispatcher.replace(rig.source())
  let finished = false
  const running = rig.say(1, 'exit').then(() => (finished = true))
  await until(() => aside.length === 1)
  await rig.say(2, 'hello')
  expect(finished).toBe(false)
  store(true)
  await running
  expect(aside).toEqual([1])
})

test('ends a new worker that is loading the code when the bot stops', inAll, async () => {
  await using rig = new Rig('worker', { firstLoadSeconds: 600 })
  const [first, pulse] = ['first.txt', 'pulse.txt'].map((name) => join(rig.root, name)) as [string, string]
  await rig.dispatcher.replace(
    rig.source(`import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
if (existsSync('${first}')) {
  setInterval(() => appendFileSync('${pulse}', '.'), 20)
  await new Promise(() => {})
}
writeFileSync('${first}', '')
export default () => process.exit(3)`),
  )
  void rig.say(1, 'hello')
  await until(() => existsSync(pulse))
  await rig.dispatcher.close({ graceMs: 0 })
  let beats: number
  do {
    beats = readFileSync(pulse).length
    await new Promise((resolve) => setTimeout(resolve, 250))
  } while (readFileSync(pulse).length > beats)
  expect(rig.logged('error')).toEqual([])
})

test('knows the files of events while a new worker starts', inAll, async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  const event = { id: 2, type: 'message', data: { content: 'x', author_id: 'ann' }, created_at: '' }
  const running = rig.say(1, 'exit-once')
  await until(() => rig.dispatcher.restarts === 1)
  expect(await rig.dispatcher.files([{ event, attempt: 1 }])).toEqual(['events/message.ts'])
  await running
})
