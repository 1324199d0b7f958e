import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('ann asks, bob clicks', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))

  expect(await chat.person('ann').says('/vote')).toHaveReplied('Tea or coffee?')
  expect(await chat.person('bob').clicks('Coffee')).toHaveUpdated(/bob takes coffee/)
  expect(await chat.person('ann').says('so be it')).not.toHaveReplied()
})
