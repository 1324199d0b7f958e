import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of packages/framework/docs/sending.md.

const start = () => startTestBot(new URL('.', import.meta.url))

test('an announcement reaches every channel that the bot sees, and reports its progress', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/announce Lunch is ready')).toHaveUpdated('Posted to 2 of 2 channels')
  for (const channel of ['general', 'random'])
    expect((await ann.in(channel).sees()).map(({ content }) => content)).toContain('📣 Lunch is ready')
})

test('a quoted text contains no mention and no Markdown', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const reply = await ann.says('/quote **hi** @everyone [x](https://evil.example)')
  expect(reply).toHaveReplied(String.raw`**ann** said: \*\*hi\*\* &#64;everyone \[x\](https\://evil\.example)`)
})

test('a sweep deletes messages of bots and leaves the others', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await chat.person('bob').says('hello')
  await ann.says('/announce Lunch is ready')
  await ann.says('/sweep 10')
  expect((await ann.sees()).map(({ content }) => content)).toEqual([
    'hello',
    '/announce Lunch is ready',
    '/sweep 10',
    'Swept 2 messages 🧹',
  ])
  expect((await ann.dm().sees()).at(-1)?.content).toBe('You swept 2 messages of bots')
})

test('a headline appears in the channel of its webhook, under its own name', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/headline Open day')).toHaveReplied('NEWS_WEBHOOK_URL is not set.')
  const channel_id = chat.world.servers['Workshop']!.channels['random']!
  const { url } = await ann.api.channelWebhooks.create({ channel_id, name: 'news' })
  process.env['NEWS_WEBHOOK_URL'] = url
  try {
    expect(await ann.says('/headline Open day on Sunday')).toHaveReplied(/^Posted\. \d+ of 30 messages/)
  } finally {
    delete process.env['NEWS_WEBHOOK_URL']
  }
  const [headline] = await ann.in('random').sees()
  expect(headline).toMatchObject({ author: 'News desk' })
  expect(headline).toHaveEmbed({ title: 'Open day on Sunday' })
})

test('streams a story to its end, or until the reader stops it', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/story a fox')
  await expect
    .poll(async () => (await ann.sees()).at(-1)?.content.trim())
    .toBe('Once upon a time there was a fox. Nobody knew where a fox came from, and nobody asked. The end.')
  const telling = ann.says('/story a bear')
  await expect.poll(async () => (await ann.sees()).at(-1)?.components?.length).toBe(1)
  await ann.clicks('Enough')
  await telling
  await expect.poll(async () => (await ann.sees()).at(-1)?.content).toBe('Good night!')
})
