import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, onTestFinished, test } from 'vitest'

/** Starts the bot of this folder on a chat service in memory and stops both after the test. */
async function start() {
  const chat = await startTestBot(new URL('..', import.meta.url), { trace: 'on-failure' })
  onTestFinished(() => chat[Symbol.asyncDispose]())
  return chat
}

test('replies to /ping and counts clicks', async () => {
  const chat = await start()
  const ann = chat.person('ann')

  expect(await ann.says('/ping')).toHaveReplied('Pong, ann!')
  expect(await ann.clicks('Again')).toHaveUpdated('Pong × 2')
})

test('welcomes new members and ignores other messages', async () => {
  const chat = await start()

  expect(await chat.person('zoe').joins()).toHaveReplied(/^Welcome/)
  expect(await chat.person('ann').says('hello zoe')).not.toHaveReplied()
})
