import { aheadOf, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { quietNow } from './quiet-now.test.fixture.ts'

test('a broadcast that waits goes on soon after the clock of the host was set to a time after quiet hours', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/news.ts': `export default async (ctx) => {
      await ctx.broadcast([ctx.channel_id], 'the news')
      return 'begun'
    }`,
  }
  const time = new VirtualClock(Date.now())
  let aheadMs = 0
  // As after a suspension of the host, which its timers do not notice.
  const clock = aheadOf(time, () => aheadMs)
  await rig.startBot(files, { dispatcher: 'inline', clock, config: { quietHours: quietNow } })
  await rig.says('ann', '/news')
  await rig.until(() => rig.logged('info').some((line) => line.includes('(quiet hours)')))
  await rig.until(async () => (await rig.texts()).includes('begun'))
  aheadMs = 12 * 60 * 60_000
  await time.advance(11 * 60_000)
  await rig.until(async () => (await rig.texts()).includes('the news'))
  expect(rig.logged('error')).toEqual([])
})
