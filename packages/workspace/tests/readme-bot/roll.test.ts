import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of the README.

test('rolls dice, and derives the help from the arguments', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  expect(await ann.says('/roll 3')).toHaveReplied(/^ann rolls [1-6] \+ [1-6] \+ [1-6] = \d+$/)
  expect((await ann.says('/roll 11')).content).toContain('Usage: /roll [dice=1]')
})

test('reports an exhausted message budget to the test', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  for (let i = 0; i < 30; i++) await ann.says('/roll')
  const silence = await ann.says('/roll')
  expect(() => silence.content).toThrow(/the message budget is used up.*chat\.clock\.advance/)
  await chat.clock.advance({ seconds: 61 })
  expect(await ann.says('/roll')).toHaveReplied(/^ann rolls/)
})
