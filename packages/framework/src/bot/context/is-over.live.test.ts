import { type Clock, systemClock, VirtualClock } from '@botwright/clock'
import { type Call, ServiceError } from '@botwright/rest'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { click, start } from '../../tests/loaded-bot.test.fixture.ts'

/** A clock whose time of day is wrong by `aheadMs`. */
const wrong = (base: Clock, clock: { aheadMs: number }): Clock => ({
  now: () => base.now() + clock.aheadMs,
  monotonic: () => base.monotonic(),
  after: (ms, fire, options) => base.after(ms, fire, options),
})

test.each(['inline', 'worker'] as const)(
  'a host whose clock is an hour ahead answers clicks for 15 minutes (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const clock = wrong(systemClock, { aheadMs: 3_600_000 })
    const bot = await rig.startBot(
      { 'buttons/vote.ts': "export default (ctx) => ctx.reply(ctx.isOver ? 'over' : 'open')" },
      { dispatcher, clock },
    )
    const button = { type: 'button' as const, style: 'primary' as const, label: 'Vote', custom_id: 'vote' }
    // The first click shows the bot the time of the service.
    for (const channel of ['general', 'random']) {
      const channel_id = rig.channel(channel)
      await bot.call('messages.create', {
        channel_id,
        content: '?',
        components: [{ type: 'row', components: [button] }],
      })
      await rig.clicks(channel)
      await rig.until(async () => (await rig.texts(channel)).length === 2)
    }
    expect(await rig.texts('random')).toEqual(['?', 'open'])
  },
)

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('a clock that jumps %s during a handler neither ends nor prolongs the time for answers', async (_, aheadMs) => {
  const base = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const jump = { aheadMs: 0 }
  const over: unknown[] = []
  const handler = `export default (ctx) => { globalThis.clickOfTest = ctx }`
  const { bot } = await start({ 'buttons/vote.ts': handler }, {}, { clock: wrong(base, jump) })
  await bot.handle(click('vote'))
  const ctx = (globalThis as unknown as { clickOfTest: { isOver: boolean } }).clickOfTest
  jump.aheadMs = aheadMs
  over.push(ctx.isOver)
  await base.advance(15 * 60_000 - 1)
  over.push(ctx.isOver)
  await base.advance(1)
  over.push(ctx.isOver)
  expect(over).toEqual([false, false, true])
})

test.each([0, 3_600_000, -3_600_000])(
  'a durable handler answers its click although the clock of the host is wrong by %s ms',
  async (aheadMs) => {
    const base = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
    const handler = `import { button } from 'botwright'
      export default button({ durable: true, run: (ctx) => ctx.ephemeral('for you').then(() => 'for all') })`
    const { bot, calls } = await start({ 'buttons/vote.ts': handler }, {}, { clock: wrong(base, { aheadMs }) })
    await bot.handle(click('vote'))
    expect(calls.map(([name]) => name)).toEqual(['interactions.callback', 'interactions.callback'])
  },
)

test('a durable handler posts a message if its click has expired', async () => {
  const handler = `import { button } from 'botwright'
    export default button({ durable: true, run: () => 'for all' })`
  const calls: string[] = []
  const call = (async (name: string) => {
    calls.push(name)
    if (name === 'interactions.callback')
      throw new ServiceError('ERR_INTERACTION_EXPIRED', 'expired', { status: 404, endpoint: name })
    return { id: '1' }
  }) as unknown as Call
  const { bot, logged } = await start({ 'buttons/vote.ts': handler }, {}, { call })
  await bot.handle(click('vote'))
  expect([calls, logged]).toEqual([['interactions.callback', 'messages.create'], []])
})
