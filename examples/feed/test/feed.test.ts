import { startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const start = () => startTestBot(new URL('..', import.meta.url))

/** Makes a channel webhook for #random as its owner does, and connects it. */
async function connect(chat: TestBot) {
  const ann = chat.person('ann')
  const channel = chat.world.servers['Workshop']?.channels['random']
  const made = await ann.call<{ url: string; webhook: { id: string } }>('POST', `/channels/${channel}/webhooks`, {
    name: 'news',
  })
  expect(await ann.dm().says(`/connect news ${made.url}`)).toHaveReplied(/^"news" is connected/)
  return made
}

test('a story is posted in the name of its feed', async () => {
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

test('a webhook that is gone is told, and its URL stands nowhere', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const { url, webhook } = await connect(chat)
  await ann.call('DELETE', `/webhooks/${webhook.id}`)
  const refused = await ann.says('/publish news "Open day" Sunday')
  expect(refused).toHaveReplied(/did not take it/)
  expect(JSON.stringify(chat.log)).not.toContain(url)
})

test('a URL that everybody could read is not taken', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/connect news https://example.com/webhooks/1/secret')).toHaveReplied(/is a secret/)
  expect(await ann.says('/publish news "Open day" Sunday')).toHaveReplied(/There is no feed "news"/)
})
