import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const api = JSON.stringify(import.meta.resolve('@botwright/framework'))

test('a burst that runs again, with one more event, does not repeat the work of ctx.once', async () => {
  await using rig = await ChatRig.start()
  const pay = `ctx.api.messages.create({ channel_id: '${rig.channel('random')}', content: 'paid' }).then(() => 1)`
  const files = {
    'events/message.ts': `import { event } from ${api}
export default event('message', {
  gather: { quiet: '1m', max: '2m' },
  run: async (ctx) => {
    await ctx.once('pay', () => ${pay})
    if (!ctx.redelivered) await new Promise(() => {})
    return 'You wrote: ' + ctx.events.map((one) => one.content).join(' ')
  },
})`,
  }
  const clock = new AdvanceableClock(systemClock)
  const start = () => rig.startBot(files, { clock, dispatcher: 'inline' })
  const first = await start()
  for (const text of ['a', 'b']) await rig.says('ann', text)
  await rig.until(() => first.stats().started === 2)
  clock.advance(60_000)
  await rig.until(async () => (await rig.texts('random')).length === 1)
  await first.stop({ graceMs: 0 })
  await rig.says('ann', 'c')
  const second = await start()
  await rig.until(() => second.stats().started === 3)
  clock.advance(60_000)
  await rig.until(async () => (await rig.texts()).includes('You wrote: a b c'))
  expect(await rig.texts('random')).toEqual(['paid'])
})
