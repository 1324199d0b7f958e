import { systemClock } from '@botwright/clock'
import { type Connect, Transport } from '@botwright/rest/transport'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const MINUTE_MS = 60_000
const files = {
  'commands/echo.ts': 'export default (ctx) => ctx.typed',
  'buttons/vote.ts': "export default (ctx) => ctx.reply('counted ' + ctx.event.id)",
  'buttons/silent.ts': 'export default () => {}',
}

/** A rig with a bot on a host whose clock is ahead, and a message with its buttons. */
async function start(rig: ChatRig, aheadMs: number, config = {}) {
  const clock = { ...systemClock, now: () => Date.now() + aheadMs }
  const startBot = () => rig.startBot(files, { clock, config })
  const bot = await startBot()
  const channel_id = rig.channel('general')
  const components = ['vote', 'silent'].map((custom_id) => ({
    type: 'row' as const,
    components: [{ type: 'button' as const, style: 'primary' as const, label: custom_id, custom_id }],
  }))
  const { id: message_id } = await bot.call('messages.create', { channel_id, content: 'vote', components })
  const click = async (custom_id: string) => {
    const { interaction_id } = await rig.person('ann').clicks.create({ channel_id, message_id, custom_id })
    return () => rig.person('ann').clicks.get({ interaction_id })
  }
  return { bot, click, startBot }
}

test.each([4000, 16 * MINUTE_MS, -16 * MINUTE_MS])(
  'with a host clock that is %d ms ahead, every click runs and is acknowledged in time',
  slow,
  async (aheadMs) => {
    await using rig = await ChatRig.start()
    const { bot, click } = await start(rig, aheadMs, { catchUp: { message: '5m' } })
    const first = await click('vote')
    await rig.until(async () => (await first()).answers.length === 1)
    const silent = await click('silent')
    await rig.until(async () => (await silent()).answers.length === 1)
    await rig.says('ann', '/echo fresh')
    await rig.until(async () => (await rig.texts()).includes('fresh'))
    expect(bot.stats()).toMatchObject({ skipped: 0, acks: 1 })
  },
)

test('a click during a quick restart runs, although the host clock is 16 minutes ahead', async () => {
  await using rig = await ChatRig.start()
  const { bot, click, startBot } = await start(rig, 16 * MINUTE_MS)
  const first = await click('vote')
  await rig.until(async () => (await first()).answers.length === 1)
  await bot.stop()
  const second = await click('vote')
  const restarted = await startBot()
  await rig.until(async () => (await second()).answers.length === 1)
  expect(restarted.stats().skipped).toBe(0)
})

test('an event of a moment ago is not skipped by a host whose clock has become wrong while the bot was stopped', async () => {
  // A service whose clock is right. That of the host is 16 minutes ahead, from the second start on.
  const clock = { ...systemClock, now: () => Date.now() - 16 * MINUTE_MS }
  const connect: Connect = (origin, options) => {
    const http = new Transport(origin, options)
    const date = () => new Date(clock.now()).toUTCString()
    return Object.assign(Object.create(http) as Transport, {
      send: async (sending: Parameters<Transport['send']>[0]) => {
        const answer = await http.send(sending)
        return { ...answer, headers: { ...answer.headers, date: date() } }
      },
      close: () => http.close(),
      destroy: () => http.destroy(),
    })
  }
  await using rig = await ChatRig.start(['ann'], { clock })
  const first = await rig.startBot(files, { clock })
  await first.stop()
  await rig.says('ann', '/echo meanwhile')
  const second = await rig.startBot(files, { connect, config: { catchUp: { message: '5m' } } })
  await rig.until(() => second.stats().finished === 1)
  expect(await rig.texts()).toEqual(['/echo meanwhile', 'meanwhile'])
})
