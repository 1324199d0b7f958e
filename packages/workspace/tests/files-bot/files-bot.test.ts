import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of the section on files in the page on production.

test('handlers read files beside the code, and start threads', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  expect(await ann.says('/joke dogs')).toHaveReplied('A dog runs after it.')
  expect(await ann.says('/primes 100')).toHaveReplied('25 primes')
})
