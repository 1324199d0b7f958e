import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('counts in the configured channel and reports the last number and the rules', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const [ann, bob] = [chat.person('ann').in('random'), chat.person('bob').in('random')]
  expect(await ann.says('/hello')).toHaveReplied('Hello, ann. Try /count.')
  expect(await ann.says('10')).toHaveReacted('✅')
  expect(await ann.says('11')).toHaveReplied('ann broke it. The next number is 10.')
  await ann.says('10')
  expect(await bob.says('11')).toHaveReacted('✅')
  const answer = await bob.says('/count')
  expect(answer).toHaveReplied('The last number is 11, the record is 11.')
  expect((await bob.clicks('Rules', answer)).content).toBe(
    'Count in #random, starting at 10. You cannot post two numbers in a row.',
  )
  expect(await bob.in('general').says('12')).not.toHaveReplied()
})
