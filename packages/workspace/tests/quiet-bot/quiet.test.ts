import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// 23:00 in Berlin.
const start = () => startTestBot(new URL('.', import.meta.url), { now: '2026-03-02T22:00:00Z' })

const textsOf = (messages: readonly { content: string }[]) => messages.map(({ content }) => content)

test('answers at once, and posts what it sends by itself in the morning', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const answer = await ann.says('/announce Lunch is ready')
  expect(textsOf(answer.replies)).toEqual(['The channel is quiet. I will post it at 2026-03-03T06:00:00.000Z.'])
  expect(await ann.watches(() => chat.clock.advance({ minutes: 479 }))).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance({ minutes: 1 }))).toHaveReplied('📣 Lunch is ready')
  expect(await ann.watches(() => chat.clock.advance('2h'))).not.toHaveReplied()
  expect(textsOf((await ann.says('/announce Dinner is ready')).replies)).toEqual(['📣 Dinner is ready', 'Posted.'])
})

test('a test that expects a held message fails with the time until which it waits', async () => {
  await using chat = await start()
  const night = await chat.person('ann').watches(() => chat.clock.advance('30m'))
  expect(() => expect(night).toHaveReplied('night of 22:30')).toThrow(
    /the bot did nothing: a message to channel \S+ is held until 2026-03-03T06:00:00\.000Z \(quiet hours\)/,
  )
})

test('messages of tasks and commands keep their order, also after a restart', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/announce first')
  await chat.clock.advance('40m')
  await chat.restartBot({ after: '1m' })
  await chat.clock.advance('20m')
  await ann.says('/announce last')
  const morning = await ann.watches(() => chat.clock.advance('7h 10m'))
  expect(textsOf(morning.replies)).toEqual(['📣 first', 'night of 22:30', 'night of 22:45', '📣 last'])
  const lines = chat.log.map(({ msg }) => msg)
  expect(lines.filter((line) => line.includes('is held until 2026-03-03T06:00:00.000Z'))).toHaveLength(4)
  expect(lines.filter((line) => line.startsWith('a held message was sent to channel'))).toHaveLength(4)
})

test('a bot that was down in the morning sends them when it starts', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/announce Lunch is ready')
  const morning = await ann.watches(() => chat.restartBot({ after: '20h' }))
  expect(textsOf(morning.replies)).toContain('📣 Lunch is ready')
  expect(await ann.watches(() => chat.restartBot({ after: '1h' }))).not.toHaveReplied()
})

test('the message budget applies to them', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  for (let i = 0; i < 40; i++) {
    await ann.says(`/announce ${i}`)
    await chat.clock.advance('5s')
  }
  await chat.clock.advance({ minutes: 480 - 4 })
  const first = await ann.watches(() => chat.clock.advance({ seconds: 60 }))
  expect(first.replies.length).toBeLessThanOrEqual(30)
  const rest = await ann.watches(() => chat.clock.advance({ seconds: 120 }))
  const all = [...first.replies, ...rest.replies].slice(0, 40)
  expect(textsOf(all)).toEqual(Array.from({ length: 40 }, (_, i) => `📣 ${i}`))
})

test('a broadcast waits with its channels', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/spread Lunch')).toHaveReplied(/^It reaches/)
  expect(await ann.watches(() => chat.clock.advance({ minutes: 479 }))).not.toHaveReplied()
  const morning = await ann.watches(() => chat.clock.advance({ minutes: 2 }))
  expect(textsOf(morning.replies)).toContain('🗞️ Lunch')
})

test('equal messages are both sent, although the service refuses the second one for a while', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  for (let i = 0; i < 2; i++) {
    await ann.says('/announce Drink water')
    await chat.clock.advance('2h')
  }
  const morning = await ann.watches(() => chat.clock.advance('5h'))
  expect(textsOf(morning.replies).filter((text) => text === '📣 Drink water')).toHaveLength(2)
})
