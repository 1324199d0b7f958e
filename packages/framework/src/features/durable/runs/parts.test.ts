import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { wakeDelivery } from '../../../link/run-event.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/large' } as const

// The parts of a run: each begins with `ctx.continueAs`, or because of `onUpgrade: 'restart'`.

const world = globalThis as { begun?: (() => unknown) | undefined; rounds?: number | undefined }

test("a broadcast and the work of ctx.once belong to their part, so that the next part's are not skipped", async () => {
  const rig = new Restarts()
  const started: string[] = []
  const { bot, calls } = await rig.start(
    {
      'commands/go.ts': durable(`
        await ctx.broadcast([ctx.channel_id], 'news')
        await ctx.broadcast([ctx.channel_id], 'weather')
        await ctx.once('charge', () => ctx.log.info('charged'))
        await ctx.reply(await ctx.once('time', () => String(ctx.now())))
        await ctx.sleep('1d')
        return ctx.continueAs({})`),
    },
    { outbox: outboxOf(started) },
  )
  await bot.handle(message({ command: 'go' }))
  const first = (await rig.head()).id
  for (let day = 1; day < 4; day++) {
    await rig.clock.advance(86_400_000)
    await rig.wake(bot)
    await turns()
  }
  expect(started).toEqual(
    ['', '#1', '#2', '#3'].flatMap((part) => [1, 2].map((number) => `event ${first}${part}:${number}`)),
  )
  expect(new Set(texts(calls)).size).toBe(4)
})

test("with onUpgrade: 'restart', neither is done again", async () => {
  const rig = new Restarts()
  const started: string[] = []
  const files = (before: string, options?: string) => ({
    'commands/go.ts': durable(
      `${before} await ctx.broadcast([ctx.channel_id], 'news')
       const word = await ctx.once('word', () => '${before === '' ? 'first' : 'second'}')
       await ctx.ask('Word?', { timeout: '1h' })
       return word`,
      options,
    ),
  })
  const first = await rig.start(files(''), { outbox: outboxOf(started) })
  await first.bot.handle(message({ command: 'go' }))
  const step = "await ctx.step('new', () => 1);"
  const { bot, calls } = await rig.start(files(step, "version: 2, onUpgrade: 'restart',"), {
    outbox: outboxOf(started),
  })
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'tea' }))
  expect(new Set(started).size).toBe(1)
  expect(texts(calls)).toEqual(['Word?', 'first'])
})

const looping = durable(
  `globalThis.rounds++
   try { await ctx.step('work', () => globalThis.begun()); return await ctx.continueAs({}) }
   catch (error) { await ctx.step('clean up', () => ctx.log.info(error.code)); throw error }`,
  "timeout: '6s',",
)

const cancels = ({ id }: { id: number }) => {
  const request = { action: 'cancel', reason: 'enough' } as const
  return wakeDelivery({ run: String(id), file: 'commands/go.ts', request }, { now: 0 })
}

test('a run that is cancelled during a step before ctx.continueAs ends there, and cleans up', async () => {
  for (const [by, reason] of [
    ['request', 'This conversation was cancelled.'],
    ['timeout', 'This conversation took longer than 6 s, so it was stopped.'],
  ] as const) {
    const rig = new Restarts()
    const { bot, calls } = await rig.start({ 'commands/go.ts': looping })
    world.rounds = 0
    let reached!: () => void
    const working = new Promise<void>((resolve) => (reached = resolve))
    let finish!: () => void
    // The second part works until it is cancelled.
    world.begun = () =>
      world.rounds === 2 ? (reached(), new Promise<void>((resolve) => (finish = resolve))) : undefined
    try {
      const delivery = message({ command: 'go' })
      const handled = bot.handle(delivery)
      await working
      const cancelling = by === 'request' ? bot.handle(cancels(delivery.event)) : rig.clock.advance(6000)
      await turns()
      finish()
      await Promise.all([handled, cancelling])
      await turns()
      expect([world.rounds, ...texts(calls)]).toEqual([2, `${reason} To start again: /go`])
      expect(await rig.head()).toMatchObject({ status: 'cancelled', part: { number: 1 } })
    } finally {
      delete world.begun
    }
  }
})

test('a run that is cancelled while its next part begins ends in that part', async () => {
  const rig = new Restarts()
  const { store } = rig
  let held: Promise<void> | undefined
  let reached!: () => void
  const set = store.set.bind(store)
  store.set = async (key, ...rest) => {
    if (key.startsWith('run:head:') && held) await (reached(), held)
    return set(key, ...rest)
  }
  world.rounds = 0
  world.begun = () => undefined
  try {
    const { bot, calls } = await rig.start({ 'commands/go.ts': looping })
    let release!: () => void
    held = new Promise((resolve) => (release = resolve))
    const saving = new Promise<void>((resolve) => (reached = resolve))
    const delivery = message({ command: 'go' })
    const handled = bot.handle(delivery)
    await saving
    const cancelling = bot.handle(cancels(delivery.event))
    await turns()
    held = undefined
    release()
    await Promise.all([handled, cancelling])
    expect([world.rounds, ...texts(calls)]).toEqual([2, 'This conversation was cancelled. To start again: /go'])
    expect(await rig.head()).toMatchObject({ status: 'cancelled' })
  } finally {
    delete world.begun
  }
})

test(
  'a loop that never waits keeps no later event waiting, and keeps none of its former parts in memory',
  slow,
  async () => {
    const rig = new Restarts()
    const text = 100_000
    const parts = 600
    world.rounds = 0
    let free!: () => void
    const freed = new Promise<void>((resolve) => (free = resolve))
    // The first parts end at once, the last one when the test has looked.
    world.begun = () => (world.rounds! > parts ? freed : undefined)
    try {
      const { bot, calls } = await rig.start({
        'commands/go.ts': durable(
          `globalThis.rounds++
         await ctx.step('work', () => globalThis.begun())
         if (globalThis.rounds > ${parts}) return 'done'
         return ctx.continueAs({ text: String(globalThis.rounds).padEnd(${text}) })`,
          "args: { text: text().default('') },",
        ).replace('{ command }', '{ command, text }'),
        'events/message.ts': "export default (ctx) => 'heard ' + ctx.content",
      })
      const before = usedMemory()
      await bot.handle(message({ command: 'go' }))
      await bot.handle(message({ content: 'tea' }))
      expect(texts(calls)).toEqual(['heard tea'])
      while (world.rounds <= parts) await turns()
      expect(usedMemory() - before).toBeLessThan((parts * text) / 4)
      free()
      await turns()
      expect(texts(calls)).toEqual(['heard tea', 'done'])
      expect(await rig.head()).toMatchObject({ status: 'done', part: { number: parts } })
    } finally {
      delete world.begun
    }
  },
)

/** The bytes in use after a garbage collection. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

/** Broadcasts that end at once, and collects their ids. */
function outboxOf(started: string[]) {
  const progress = { total: 1, done: 1, sent: [], failed: [], state: 'done' } as const
  const start = (id: string) => Promise.resolve((started.push(id), progress))
  const other = () => Promise.reject(new Error('not expected'))
  return { broadcasts: { start, next: other, cancel: other }, budget: other }
}

test('ctx.continueAs passes a list of dates on, also after a restart', async () => {
  const rig = new Restarts()
  const files = {
    'commands/go.ts': durable(
      `const { round, days } = ctx.args
       if (round === 1) return ctx.continueAs({ ...ctx.args, round: 2 })
       await ctx.sleep('1h')
       return days.map((day) => day.toISOString().slice(0, 10)).join()`,
      "args: { round: integer(), days: list(date({ when: 'any' })) },",
    ).replace('{ command }', '{ command, date, integer, list }'),
  }
  const first = await rig.start(files)
  await first.bot.handle(message({ command: 'go', args: '1 2026-03-01 2026-04-02' }))
  const { bot, calls, logged } = await rig.start(files)
  await rig.clock.advance(3_600_000)
  await rig.wake(bot)
  expect([...first.logged, ...logged]).toEqual([])
  expect(texts(calls)).toEqual(['2026-03-01,2026-04-02'])
})
