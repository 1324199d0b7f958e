import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('people count in the channel of the options; the bot knows the last number and the rules', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const [ann, bob] = [chat.person('ann').in('random'), chat.person('bob').in('random')]
  expect(await ann.says('/hello')).toHaveReplied('Hello, ann. Try /count.')
  expect(await ann.says('10')).toHaveReacted('✅')
  expect(await ann.says('11')).toHaveReplied('ann broke it. The next number is 10.')
  await ann.says('10')
  expect(await bob.says('11')).toHaveReacted('✅')
  const told = await bob.says('/count')
  expect(told).toHaveReplied('The last number is 11, the record is 11.')
  expect((await bob.clicks('Rules', told)).content).toBe(
    'Count in #random, beginning with 10. Nobody says two numbers in a row.',
  )
  expect(await bob.in('general').says('12')).not.toHaveReplied()
})
