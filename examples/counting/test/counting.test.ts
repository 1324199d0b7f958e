import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'

test('people count in the channel of the options; the bot knows the last number and the rules', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const [ann, bob] = [await chat.person('ann'), await chat.person('bob')]
  expect((await ann.says('/hello')).content).toBe('Hello, ann. Try /count.')
  await ann.posts('10', { channel: 'random' })
  const broken = await ann.says('11', { channel: 'random' })
  expect(broken.content).toBe('ann broke it. The next number is 10.')
  await ann.posts('10', { channel: 'random' })
  await bob.posts('11', { channel: 'random' })
  const told = await bob.says('/count', { channel: 'random' })
  expect(told.content).toBe('The last number is 11, the record is 11.')
  expect(told.components[0]?.components[0]).toMatchObject({ custom_id: 'counting/rules' })
  const rules = await bob.clicks(told, 'Rules')
  expect(rules.content).toBe('Count in #random, beginning with 10. Nobody says two numbers in a row.')
})
