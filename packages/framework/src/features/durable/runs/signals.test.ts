import { expect, test } from 'vitest'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

test.each([
  ['ctx.sleep', "await ctx.sleep('20s')"],
  ['ctx.ask', "await ctx.ask('Word?', { timeout: '20s' }).catch(() => {})"],
])('the time limit of ctx.signal is paused while a run waits with %s', async (_, wait) => {
  const rig = new Restarts()
  const { bot, calls } = await rig.start(
    { 'commands/go.ts': durable(`const { signal } = ctx; ${wait}; return 'aborted: ' + signal.aborted`) },
    { handlerSeconds: 10 },
  )
  await bot.handle(message({ command: 'go' }))
  await rig.clock.advance(20_000)
  await rig.wake(bot)
  await turns()
  expect(texts(calls).at(-1)).toBe('aborted: false')
})
