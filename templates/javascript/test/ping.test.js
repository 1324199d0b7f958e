import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, onTestFinished, test } from 'vitest'

/** The bot of this folder on a chat service in memory; both end with the test. */
async function start() {
  const chat = await startTestBot(new URL('..', import.meta.url))
  onTestFinished(() => chat[Symbol.asyncDispose]())
  return chat
}

test('/ping is answered, and the button counts on', async () => {
  const chat = await start()
  const ann = chat.person('ann')

  expect(await ann.says('/ping')).toHaveReplied('Pong, ann!')
  expect(await ann.clicks('Again')).toHaveUpdated('Pong × 2')
})

test('whoever joins is welcomed, and what people say to each other is left alone', async () => {
  const chat = await start()

  expect(await chat.person('zoe').joins()).toHaveReplied(/^Welcome/)
  expect(await chat.person('ann').says('hello zoe')).not.toHaveReplied()
})
