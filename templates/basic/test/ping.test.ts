import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('replies to /ping and counts clicks', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url), { trace: 'on-failure' })
  const ann = chat.person('ann')

  expect(await ann.says('/ping')).toHaveReplied('Pong, ann!')
  expect(await ann.clicks('Again')).toHaveUpdated('Pong × 2')
})

test('welcomes new members and ignores other messages', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url), { trace: 'on-failure' })

  expect(await chat.person('zoe').joins()).toHaveReplied(/^Welcome/)
  expect(await chat.person('ann').says('hello zoe')).not.toHaveReplied()
})
