import { expect, test } from 'vitest'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// Calls on `ctx` in the work of `ctx.step` are a part of that step: they have no record of their own, and do not run again.

const ask = "const word = await ctx.ask('Word?', { timeout: '1h' });"

/** The messages of a run before and after a restart, which an answer follows. */
async function restarted(files: Record<string, string>) {
  const rig = new Restarts()
  const first = await rig.start(files)
  await first.bot.handle(message({ command: 'go' }))
  const { bot, calls, logged } = await rig.start(files)
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'tea' }))
  return { rig, before: texts(first.calls), after: texts(calls), logged: [...first.logged, ...logged] }
}

test.each([
  ['a message', "await ctx.send(ctx.channel_id, 'booked')", ['booked', 'Word?']],
  [
    'a call',
    'await ctx.api.reactions.add({ channel_id: ctx.channel_id, message_id: ctx.event.id, emoji: "x" })',
    ['Word?'],
  ],
  ['another step', "await ctx.step('inner', () => 1)", ['Word?']],
  ['ctx.once', "await ctx.once('inner', () => 1)", ['Word?']],
])('%s in the work of a step is a part of it', async (_, work, said) => {
  const code = durable(
    `const booked = await ctx.step('book', async () => { ${work}; return 1 }); ${ask} return word + booked`,
  )
  const { before, after, logged } = await restarted({ 'commands/go.ts': code })
  expect([before, after, logged]).toEqual([said, ['tea1'], []])
})

test('random values in the work of a step do not shift the later ones, and are the same when the work runs again', async () => {
  const rig = new Restarts()
  const world = globalThis as { drawn?: string[]; dies?: Promise<never> | undefined }
  world.drawn = []
  const files = {
    'commands/go.ts': durable(`
      await ctx.step('book', () => { globalThis.drawn.push(ctx.uuid() + ctx.random()); return globalThis.dies })
      await ctx.step('pay', () => { globalThis.drawn.push(ctx.uuid() + ctx.random()) })
      await ctx.send(ctx.channel_id, ctx.uuid())
      ${ask}
      return word`),
  }
  world.dies = new Promise(() => {})
  const delivery = message({ command: 'go' })
  void (await rig.start(files)).bot.handle(delivery)
  await turns()
  world.dies = undefined
  const second = await rig.start(files)
  await second.bot.handle(delivery)
  const { bot, calls, logged } = await rig.start(files)
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'tea' }))
  const [first, again, other] = world.drawn
  expect(first).toBe(again)
  expect(other).not.toBe(first)
  expect(logged).toEqual([])
  expect(texts(calls)).toEqual(['tea'])
})

test('a broadcast in the work of a step leaves the later ones their ids', async () => {
  const started: string[] = []
  const progress = { total: 1, done: 1, sent: [], failed: [], state: 'done' as const }
  const outbox = {
    broadcasts: { start: async (id: string) => (started.push(id), progress), next: async () => progress },
  } as never
  const files = {
    'commands/go.ts': durable(`
      await ctx.step('announce', async () => { await ctx.broadcast([ctx.channel_id], 'a'); return 1 })
      ${ask}
      await ctx.broadcast([ctx.channel_id], 'b')
      return word`),
  }
  const rig = new Restarts()
  const first = await rig.start(files, { outbox })
  await first.bot.handle(message({ command: 'go' }))
  const { bot, calls } = await rig.start(files, { outbox })
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'tea' }))
  expect(texts(calls)).toEqual(['tea'])
  expect(new Set(started).size).toBe(2)
})

test('a command that a model calls beside a step has a record of its own', async () => {
  const world = globalThis as { end?: ((value: string) => void) | undefined; rolls?: number }
  world.rolls = 0
  const files = {
    'commands/go.ts': durable(`
      const [roll] = commandTools(ctx, { only: ['roll'] })
      const slow = ctx.step('slow', () => new Promise((resolve) => (globalThis.end = resolve)))
      await ctx.step('fast', () => 1)
      const { text } = await roll.call({})
      globalThis.end('done')
      await slow
      ${ask}
      return word + ' ' + text`).replace('{ command }', '{ command, commandTools }'),
    'commands/roll.ts': "export default () => 'roll ' + ++globalThis.rolls",
  }
  const { before, after, logged } = await restarted(files)
  expect([before, after, logged]).toEqual([['roll 1', 'Word?'], ['tea roll 1'], []])
})

test('the work of a step cannot wait for an answer', async () => {
  const rig = new Restarts()
  const { bot, calls, logged } = await rig.start({
    'commands/go.ts': durable("await ctx.step('book', async () => { await ctx.sleep('1s'); return ctx.ask('Word?') })"),
  })
  const ended = bot.handle(message({ command: 'go' }))
  await turns()
  await rig.clock.advance(1000)
  await ended
  expect(logged).toEqual([expect.stringContaining('commands/go.ts:2: a durable handler cannot wait in ctx.step: ask')])
  expect(texts(calls).at(-1)).toMatch(/^Something went wrong/)
})
