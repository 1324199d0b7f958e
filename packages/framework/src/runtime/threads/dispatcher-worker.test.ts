import { existsSync, readFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'

const until = (holds: () => boolean): Promise<void> =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 10 }).then(
    () => {},
    () => expect.fail(`not true after 60 s: ${String(holds)}`),
  )

test('a handler that blocks its thread is named, and the others run on in a new worker', async () => {
  await using rig = new Rig('worker', { blockSeconds: 0.3 })
  await rig.dispatcher.replace(rig.source())
  const other = rig.say(1, 'sleep 4000')
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

test('a thread that somebody has stopped with a debugger is not blocked', async () => {
  inspector.open(0, '127.0.0.1')
  try {
    await using rig = new Rig('worker', { blockSeconds: 0.2 })
    await rig.dispatcher.replace(rig.source())
    await rig.say(1, 'block 1500')
    expect(rig.notes.filter((line) => line.startsWith('start 1'))).toHaveLength(1)
    expect(rig.logged('error')).toEqual([])
  } finally {
    inspector.close()
  }
})

test('the one that blocks after an await is found out, and the innocent are not given up', async () => {
  await using rig = new Rig('worker', { blockSeconds: 0.3 })
  await rig.dispatcher.replace(rig.source())
  const innocent = [rig.say(1, 'sleep 600'), rig.say(2, 'sleep 600')]
  await Promise.all([...innocent, rig.say(3, 'late-block 60000')])
  expect(rig.notes).toEqual(expect.arrayContaining(['end 1 v1', 'end 2 v1']))
  expect(rig.notes).not.toContain('end 3 v1')
})

test.each(['exit', 'timer'])(
  'a worker that dies by %s is replaced, and what ran beside it runs again',
  async (how) => {
    await using rig = new Rig('worker')
    await rig.dispatcher.replace(rig.source())
    const other = rig.say(1, 'sleep 400')
    await until(() => rig.notes.includes('start 1 v1'))
    await rig.say(2, how)
    await other
    await rig.say(3, 'hello')
    expect(rig.notes).toEqual(expect.arrayContaining(['start 1 v1 again', 'end 1 v1', 'end 3 v1']))
    expect(rig.notes.filter((line) => line.startsWith('start 2'))).toHaveLength(3)
    expect(rig.logged('error').join('\n')).toMatch(/events\/message\.ts: ended its thread/)
  },
  20_000,
)

test('a worker that dies once costs its event one more attempt', async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'exit-once')
  expect(rig.notes).toEqual(['start 1 v1', 'start 1 v1 again', 'end 1 v1'])
})

test('a rejection that nobody awaits is logged with its file, and the worker lives', async () => {
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

test('code that never finishes loading is refused with its file, and the old code serves', async () => {
  await using rig = new Rig('worker', { loadSeconds: 0.5 })
  await rig.dispatcher.replace(rig.source())
  await expect(rig.dispatcher.replace(rig.source('for (;;);'))).rejects.toThrow(
    /^events\/message\.ts: did not finish loading within 0\.5 s/,
  )
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['start 1 v1', 'end 1 v1'])
})

test('code that ends its thread while it loads is refused with its file, and that is all that is told', async () => {
  await using rig = new Rig('worker', { loadSeconds: 30 })
  await rig.dispatcher.replace(rig.source())
  await expect(rig.dispatcher.replace(rig.source('process.exit(1)'))).rejects.toThrow(
    /^events\/message\.ts: ended its thread with code 1 while it loaded/,
  )
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['start 1 v1', 'end 1 v1'])
  expect(rig.logged('error')).toEqual([])
})

test('the first load has more patience than a reload: nothing serves meanwhile', async () => {
  await using rig = new Rig('worker', { loadSeconds: 0.3 })
  const slow = 'await new Promise((resolve) => setTimeout(resolve, 600))\nexport default () => {}'
  await expect(rig.dispatcher.replace(rig.source(slow))).resolves.toMatchObject({ definitions: [{}] })
  await expect(rig.dispatcher.replace(rig.source(slow))).rejects.toThrow(/did not finish loading within 0\.3 s/)
})

test('code that is stuck while it loads can be given up for newer code, the first load included', async () => {
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
})

test('replacements that overtake each other end with the newest', async () => {
  await using rig = new Rig('worker', { keepSpare: true })
  await rig.dispatcher.replace(rig.source())
  await Promise.all([1, 2, 3, 4, 5].map(() => rig.dispatcher.replace(rig.source())))
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['start 1 v6', 'end 1 v6'])
})

test('under load, replacements lose nothing and repeat nothing', async () => {
  await using rig = new Rig('worker', { keepSpare: true, workers: 2 })
  await rig.dispatcher.replace(rig.source())
  let id = 0
  const runs: Promise<void>[] = []
  for (let round = 0; round < 10; round++) {
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
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
  }
})

test('a call of a handler is made by the supervisor', async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'call')
  expect(rig.notes).toContain('me tester')
})

test('a thread that loads code while the bot stops is ended with the others', async () => {
  await using rig = new Rig('worker')
  await rig.dispatcher.replace(rig.source())
  const pulse = JSON.stringify(join(rig.root, 'pulse.txt'))
  const slow = `import { appendFileSync } from 'node:fs'
await new Promise((resolve) => setTimeout(resolve, 300))
appendFileSync(${pulse}, '.')
setInterval(() => appendFileSync(${pulse}, '.'), 20)
export default () => {}`
  const replacing = rig.dispatcher.replace(rig.source(slow)).catch((error: unknown) => error)
  await rig.dispatcher.close({ graceMs: 0 })
  expect(String(await replacing)).toContain('the bot is stopping: it accepts no new code')
  // What loads is let finish; then its thread ends.
  const file = join(rig.root, 'pulse.txt')
  await until(() => existsSync(file))
  let beats: number
  do {
    beats = readFileSync(file).length
    await new Promise((resolve) => setTimeout(resolve, 250))
  } while (readFileSync(file).length > beats)
})
