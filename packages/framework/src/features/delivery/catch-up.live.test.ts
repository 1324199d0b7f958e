import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const HOUR_MS = 3_600_000
const files = {
  'commands/echo.ts': 'export default (ctx) => ctx.typed',
  'events/reaction_add.ts': `import { appendFileSync } from 'node:fs'
    export default (ctx) => appendFileSync('FILE', ctx.event.emoji + '\\n')`,
  'buttons/vote.ts': "export default (ctx) => ctx.update({ content: 'counted' })",
}
/** The system clock, ahead by `ms`: to the bot, the service's events are older by that much. */
const later = (ms: number) => ({ ...systemClock, now: () => Date.now() + ms })

test('catchUp skips events older than the limit of their type and logs the skipped ones once', async () => {
  await using rig = await ChatRig.start()
  const own = {
    ...files,
    'events/reaction_add.ts': files['events/reaction_add.ts'].replace('FILE', `${rig.root}/seen.txt`),
  }
  const first = await rig.startBot(own)
  const board = await first.call('messages.create', {
    channel_id: rig.channel('general'),
    content: 'vote',
    components: [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: 'vote' }] }],
  })
  await first.stop()
  for (const text of ['one', 'two', 'three']) await rig.says('ann', `/echo ${text}`)
  await rig.person('ann').reactions.add({ channel_id: rig.channel('general'), message_id: board.id, emoji: '👍' })
  await rig.person('ann').clicks.create({ channel_id: rig.channel('general'), message_id: board.id, custom_id: 'vote' })

  const config = { catchUp: { message: '2m', reaction_add: 'all', interaction: 'open', default: '1h' } } as const
  const second = await rig.startBot(own, { config, clock: later(HOUR_MS / 2) })
  await rig.until(
    () => second.stats().finished === 5 && rig.logged('info').some((line) => line.includes('were skipped')),
  )
  expect(rig.logged('info').filter((line) => line.includes('were skipped'))).toEqual([
    expect.stringMatching(
      /^4 events were skipped because of catchUp \(3 message, 1 interaction; the oldest was 30 min \d+ s old\)$/,
    ),
  ])
  expect(second.stats()).toMatchObject({ skipped: 4, finished: 5, acks: 0 })
  expect(rig.read('seen.txt')).toEqual(['👍'])
  expect(await rig.texts()).not.toContain('one')
  await second.stop()

  await rig.says('ann', '/echo fresh')
  await rig.person('ann').clicks.create({ channel_id: rig.channel('general'), message_id: board.id, custom_id: 'vote' })
  const third = await rig.startBot(own, { config, clock: later(60_000) })
  await rig.until(async () => (await rig.texts()).includes('counted'))
  await rig.until(async () => (await rig.texts()).includes('fresh'))
  expect(third.stats().skipped).toBe(0)
})

test('warns after more than a day offline, because the service keeps events for one day', slow, async () => {
  await using rig = await ChatRig.start()
  const first = await rig.startBot(files)
  await rig.says('ann', '/echo kept')
  await rig.until(() => first.stats().finished === 1)
  await first.stop()
  await rig.startBot(files, { clock: later(26 * HOUR_MS) })
  await rig.until(() => rig.logged('warn').some((line) => line.includes('may have expired')))
  expect(rig.logged('warn').find((line) => line.includes('may have expired'))).toMatch(
    /^the last good poll was at .*Z: events from then to .*Z may have expired, as the service keeps them for 1 day$/,
  )
})

test('skips a click that failed while the bot was offline, because the user saw it fail', slow, async () => {
  await using rig = await ChatRig.start()
  const counting = {
    ...files,
    'buttons/vote.ts': `import { appendFileSync } from 'node:fs'
      export default (ctx) => (appendFileSync('${rig.root}/votes.txt', 'x'), ctx.update({ content: 'counted' }))`,
  }
  const first = await rig.startBot(counting)
  const board = await first.call('messages.create', {
    channel_id: rig.channel('general'),
    content: 'vote',
    components: [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: 'vote' }] }],
  })
  const click = () =>
    rig.person('ann').clicks.create({ channel_id: rig.channel('general'), message_id: board.id, custom_id: 'vote' })
  await first.stop()
  await click()
  await rig.says('ann', '/echo meanwhile')

  // Everything is a minute old, and the default limit does not apply to clicks.
  const clock = later(60_000)
  const second = await rig.startBot(counting, { config: { catchUp: { default: '1h' } }, clock })
  await rig.until(async () => (await rig.texts()).includes('meanwhile'))
  await rig.until(() => rig.logged('info').some((line) => line.includes('skipped')))
  expect(rig.logged('info').filter((line) => line.includes('skipped'))).toEqual([
    expect.stringMatching(/^1 click was skipped: made while the bot was offline, so users saw them fail\. /),
  ])
  expect(second.stats()).toMatchObject({ skipped: 1, acks: 0 })
  // A click made now runs, although it is a minute old by this bot's clock.
  await click()
  await rig.until(async () => (await rig.texts()).includes('counted'))
  await second.stop()
  expect(rig.read('votes.txt')).toEqual(['x'])

  await click()
  await rig.startBot(counting, { config: { catchUp: { interaction: 'open' } }, clock })
  await rig.until(() => rig.read('votes.txt')[0] === 'xx')
})

test('an event whose handler was interrupted runs again, however old it is by then', slow, async () => {
  await using rig = await ChatRig.start()
  const interrupted = {
    'commands/pay.ts': "export default async (ctx) => ctx.redelivered ? 'paid' : new Promise(() => {})",
    'buttons/vote.ts': "export default async (ctx) => ctx.redelivered ? ctx.reply('counted') : new Promise(() => {})",
  }
  const config = { catchUp: { message: '2m', interaction: '1m' } } as const
  const first = await rig.startBot(interrupted, { config })
  const channel_id = rig.channel('random')
  const board = await first.call('messages.create', {
    channel_id,
    content: 'vote',
    components: [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: 'vote' }] }],
  })
  await rig.says('ann', '/pay')
  await rig.person('ann').clicks.create({ channel_id, message_id: board.id, custom_id: 'vote' })
  await rig.until(() => first.stats().running === 2)
  await first.stop({ graceMs: 0 })
  const second = await rig.startBot(interrupted, { config, clock: later(10 * 60_000) })
  await rig.until(() => second.stats().finished === 2)
  expect(second.stats().skipped).toBe(0)
  expect((await rig.texts()).at(-1)).toBe('paid')
  expect((await rig.texts('random')).at(-1)).toBe('counted')
})

test(
  'a durable run that was interrupted while it posted its question goes on, and delays no message',
  slow,
  async () => {
    await using rig = await ChatRig.start()
    const api = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)
    const asking = {
      'commands/ask.ts': `import { command } from ${api}
      export default command({ description: 'x', durable: true, run: async (ctx) => 'got ' + (await ctx.ask('Name?', { timeout: '1h' })) })`,
      'events/message.ts': "export default (ctx) => 'heard ' + ctx.content",
    }
    const config = { catchUp: { message: '2m' } } as const
    const first = await rig.startBot(asking, { config })
    // The question is visible, and the process dies before it has the answer of the service.
    await rig.fault('POST', `/v1/channels/${rig.channel('general')}/messages`, { then: 'slow', seconds: 600 })
    await rig.says('ann', '/ask')
    await rig.until(async () => (await first.store.list('run:key:')).length === 1)
    await first.stop({ graceMs: 0 })
    await rig.startBot(asking, { config, clock: later(10 * 60_000) })
    await rig.until(async () => (await rig.texts()).at(-1) === 'Name?')
    await rig.says('ann', 'Ann')
    await rig.until(async () => (await rig.texts()).at(-1) === 'got Ann')
  },
)
