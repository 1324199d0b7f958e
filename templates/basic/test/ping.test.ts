import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('/ping is answered, and the button counts on', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const ann = chat.person('ann')

  expect(await ann.says('/ping')).toHaveReplied('Pong, ann!')
  expect(await ann.clicks('Again')).toHaveUpdated('Pong × 2')
})

test('whoever joins is welcomed, and what people say to each other is left alone', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))

  expect(await chat.person('zoe').joins()).toHaveReplied(/^Welcome/)
  expect(await chat.person('ann').says('hello zoe')).not.toHaveReplied()
})
