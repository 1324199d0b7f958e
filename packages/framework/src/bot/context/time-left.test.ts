import { VirtualClock } from '@botwright/clock'
import type { Call, CallOptions } from '@botwright/rest'
import { expect, test } from 'vitest'
import { id, message, start } from '../../tests/loaded-bot.test.fixture.ts'

// The calls of a handler may wait for the limits of the service as long as the handler has time.

/** Starts a bot that records how long each of its calls may wait. */
async function rig(files: Record<string, string>) {
  const clock = new VirtualClock()
  const waits: [name: string, ms: number | undefined, content: unknown][] = []
  const call = (async (name: string, input: Record<string, unknown>, options: CallOptions = {}) => {
    waits.push([name, options.longestWaitMs, input['content']])
    return { id: id(500), channel_id: input['channel_id'], content: 'x', created_at: '2026-01-01T00:00:00Z' }
  }) as unknown as Call
  const { bot } = await start(files, {}, { clock, call, handlerSeconds: 60 })
  return { bot, clock, waits }
}

const turns = async () => {
  for (let i = 0; i < 100; i++) await Promise.resolve()
}

test('each call of a handler may wait for the rest of its time, which begins again after an answer', async () => {
  const { bot, clock, waits } = await rig({
    'commands/slow.ts': `export default async (ctx) => {
      const pause = (ms) => new Promise((resolve) => ctx.clock.after(ms, resolve))
      await ctx.reply('a')
      await pause(50_000)
      await ctx.send(ctx.channel_id, 'b')
      await ctx.api.messages.create({ channel_id: ctx.channel_id, content: 'c' })
      await ctx.ask('d')
      await ctx.reply('e')
      await pause(70_000)
      await ctx.reply('f')
    }`,
  })
  const running = bot.handle(message({ command: 'slow' }))
  await turns()
  await clock.advance(50_000)
  await turns()
  await clock.advance(30_000)
  void bot.handle(message({ content: 'an answer' }))
  await turns()
  await clock.advance(70_000)
  await running
  expect(waits.map(([, ms]) => ms)).toEqual([60_000, 10_000, 10_000, 10_000, 60_000, 0])
})

test('calls after the end of a handler have no such limit', async () => {
  const { bot, clock, waits } = await rig({
    'commands/short.ts': `export default (ctx) => {
      ctx.clock.after(90_000, () => ctx.delete({ channel_id: ctx.channel_id, id: 'x' }))
      return 'this message is deleted'
    }`,
  })
  await bot.handle(message({ command: 'short' }))
  await clock.advance(90_000)
  expect(waits.map(([name, ms]) => [name, ms])).toEqual([
    ['messages.create', 60_000],
    ['messages.delete', undefined],
  ])
})

test('a durable handler has no such limit', async () => {
  const { bot, waits } = await rig({
    'commands/long.ts': `import { command } from 'botwright'
      export default command({ durable: true, run: (ctx) => ctx.reply('a') })`,
  })
  await bot.handle(message({ command: 'long' }))
  expect(waits.map(([name, ms]) => [name, ms])).toEqual([['messages.create', undefined]])
})

test.each([
  ['in time', 50_000, 60_000],
  ['after its time limit', 70_000, 70_000],
])('ctx.signal that a handler first reads %s aborts at its time limit, or at once', async (_, readMs, abortedMs) => {
  const { bot, clock } = await rig({
    'commands/slow.ts': `export default (ctx) => new Promise((resolve) => {
      ctx.clock.after(${readMs}, () => ctx.signal.aborted ? resolve() : ctx.signal.addEventListener('abort', resolve))
    })`,
  })
  let endedMs: number | undefined
  const beganMs = clock.now()
  void Promise.resolve(bot.handle(message({ command: 'slow' }))).then(() => (endedMs = clock.now() - beganMs))
  for (let ms = 0; ms < 80_000; ms += 10_000) await clock.advance(10_000, turns)
  expect(endedMs).toBe(abortedMs)
})

test('ctx.signal that a handler first reads while it waits for an answer does not abort meanwhile', async () => {
  const { bot, clock, waits } = await rig({
    'commands/asks.ts': `export default async (ctx) => {
      const answered = ctx.ask('d')
      await new Promise((resolve) => ctx.clock.after(1000, resolve))
      const { signal } = ctx
      await answered
      await ctx.reply(signal.aborted ? 'aborted' : 'not aborted')
    }`,
  })
  const running = bot.handle(message({ command: 'asks' }))
  await turns()
  await clock.advance(90_000, turns)
  void bot.handle(message({ content: 'an answer' }))
  await running
  expect(waits.map(([, , content]) => content)).toEqual(['d', 'not aborted'])
})
