import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of packages/framework/docs/events.md: a file for each type of event, on the real service.

const start = () => startTestBot(new URL('.', import.meta.url))
/** Returns what a person who did not cause the event reads in #general. */
const written = async (chat: Awaited<ReturnType<typeof start>>) => (await chat.person('ann').sees()).at(-1)?.content

test('handles each message once, but no commands and no messages of the bot itself', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.in('random').says('hello there')).toHaveReplied('Hello ann of #random!')
  expect(await ann.says('nothing for you')).not.toHaveReplied()
  expect((await ann.says('/panel')).replies.map(({ content }) => content)).toEqual(['Press it'])
})

test('handles members who join and leave', async () => {
  await using chat = await start()
  const dora = chat.person('dora')
  await dora.joins()
  expect(await written(chat)).toBe(`Welcome, <@${await dora.known()}>! We are 4 now.`)
  await dora.leaves()
  expect(await written(chat)).toBe('dora has left 3 of us.')
})

test('handles added and removed reactions', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const hello = await ann.says('hello')
  const liked = await chat.person('bob').reacts('👍', hello)
  expect(liked).toHaveReacted('👍')
  expect(liked).toHaveReplied('bob likes it: 👍')
  expect(await chat.person('bob').unreacts('👍', hello)).toHaveReplied('bob takes 👍 back')
})

test('handles a click on a button without a file', async () => {
  await using chat = await start()
  await chat.person('ann').says('/panel')
  expect(await chat.person('bob').clicks('Press')).toHaveUpdated('bob clicked by-hand:7')
})

test('handles people who join and leave a voice channel', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  const lounge = chat.world.servers['Workshop']!.channels['Lounge']!
  await bob.in('Lounge').joinsVoice()
  expect(await written(chat)).toBe(`<@${bob.id}> joined <#${lounge}>`)
  await bob.in('Lounge').leavesVoice()
  expect(await written(chat)).toBe(`<@${bob.id}> left <#${lounge}>`)
})

test('handles "Send test event" of the developer settings', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.watches(() => ann.api.bots.testEvent({ bot_id: chat.bot.id }))
  expect(await written(chat)).toMatch(/^Test event \d+ arrived$/)
})

test('handles an event of an unknown type', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const news = { id: 1000, type: 'poll_ended', data: { votes: 3 }, created_at: '2026-03-01T08:00:00.000Z' }
  await chat.faults({ endpoint: 'events.list', status: 200, body: { events: [news], last: news.id } })
  // The open poll responds with this message; the next one gets the fault.
  await ann.says('nothing for you')
  await expect.poll(() => written(chat)).toBe('New event poll_ended: {"votes":3}')
  expect(chat.log.map(({ msg }) => msg)).toContain(
    'received events of the type "poll_ended", which this version does not support: events/unknown.ts handles them, if it exists',
  )
})

test('handles its own start and shutdown', async () => {
  await using chat = await start()
  await chat.restartBot()
  const logged = chat.log.map(({ msg }) => msg).filter((msg) => / is ready$|^goodbye$/.test(msg))
  expect(logged).toEqual(['bot is ready', 'goodbye', 'bot is ready'])
})
