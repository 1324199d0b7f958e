import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'

// The bot of the README.

test('the dice are rolled, and the help comes from the arguments', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = await chat.person('ann')
  expect((await ann.says('/roll 3')).content).toMatch(/^ann rolls [1-6] \+ [1-6] \+ [1-6] = \d+$/)
  expect((await ann.says('/roll 11')).content).toContain('Usage: /roll [dice=1]')
})

test('a test in which the message budget is used up is told so, and ends at once', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = await chat.person('ann')
  for (let i = 0; i < 30; i++) await ann.says('/roll')
  await expect(ann.says('/roll')).rejects.toThrow(/the message budget is used up.*chat\.clock\.advance/)
  await chat.clock.advance(61_000)
  expect((await ann.says('/roll')).content).toMatch(/^ann rolls/)
})
