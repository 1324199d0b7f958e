import { AdvanceableClock, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'

// The listeners that a bot adds to its process end with it.

const listeners = () => process.listenerCount('unhandledRejection')

test('a bot that does not load leaves no listener behind', async () => {
  await using rig = await ChatRig.start()
  const before = listeners()
  const broken = { 'commands/ping.ts': "throw new Error('broken')" }
  await expect(rig.startBot(broken, { dispatcher: 'inline' })).rejects.toThrow('broken')
  expect(listeners()).toBe(before)
})

test('a bot whose code was replaced leaves no listener behind', async () => {
  await using rig = await ChatRig.start()
  const before = listeners()
  const bot = await rig.startBot({ 'commands/ping.ts': "export default () => 'a'" }, { dispatcher: 'inline' })
  await bot.replace(rig.source({ 'commands/ping.ts': "export default () => 'b'" }))
  await bot.stop()
  expect(listeners()).toBe(before)
})

test.each(['stopped', 'movable'])('handlers of a closed bot leave no timer (%s clock)', async (kind) => {
  const base = new VirtualClock()
  const clock = kind === 'movable' ? new AdvanceableClock(base) : base
  await using rig = new Rig('inline', { clock })
  const waits = 'export default (ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", resolve))'
  await rig.dispatcher.replace(rig.source(waits))
  void rig.say(1, 'hello')
  await expect.poll(() => base.waiting).toBeGreaterThan(0)
  await rig.dispatcher.close({ graceMs: 0 })
  expect(base.waiting).toBe(0)
})
