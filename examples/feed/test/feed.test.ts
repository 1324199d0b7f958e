import { startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const start = () => startTestBot(new URL('..', import.meta.url))

/** Creates a channel webhook for #random as the server's owner and connects it. */
async function connect(chat: TestBot) {
  const ann = chat.person('ann')
  const channel_id = chat.world.servers['Workshop']!.channels['random']!
  const made = await ann.api.channelWebhooks.create({ channel_id, name: 'news' })
  expect(await ann.dm().says(`/connect news ${made.url}`)).toHaveReplied(/^"news" is connected/)
  return made
}

test('posts a story under the name of its feed', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await connect(chat)
  expect(await ann.says('/feeds')).toHaveReplied('Feeds: news')
  expect(await ann.says('/publish news "Open day" Come and see us on Sunday.')).toHaveReacted('📰')
  const [story] = await ann.in('random').sees()
  expect(story).toMatchObject({ author: 'news' })
  expect(story).toHaveEmbed({
    title: 'Open day',
    description: 'Come and see us on Sunday.',
    footer: { text: 'by ann' },
  })
})

test('reports a deleted webhook and never logs its URL', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const { url, webhook } = await connect(chat)
  await ann.api.channelWebhooks.delete({ webhook_id: webhook.id })
  const refused = await ann.says('/publish news "Open day" Sunday')
  expect(refused).toHaveReplied(/refused the post/)
  expect(JSON.stringify(chat.log)).not.toContain(url)
})

test('rejects a webhook URL posted in a server', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/connect news https://example.com/webhooks/1/secret')).toHaveReplied(/is a secret/)
  expect(await ann.says('/publish news "Open day" Sunday')).toHaveReplied(/There is no feed "news"/)
})

test('knows no feed with the name of a property of all objects', async () => {
  await using chat = await start()
  expect(await chat.person('ann').says('/publish __proto__ "Open day" Come')).toHaveReplied(/^There is no feed/)
})
