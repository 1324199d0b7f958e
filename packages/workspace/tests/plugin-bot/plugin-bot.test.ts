import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('a test reads and seeds the state of a plugin', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  const user_id = chat.world.people['bob']!.id

  await chat.state.seed('karma/points', { user_id }, 10)
  expect(await ann.says(`/thank <@${user_id}>`)).toHaveReplied('Karma: 12')
  expect(await chat.state.read('karma/points', { user_id })).toEqual({ version: 1, value: 12 })
  await expect(chat.state.read('points', { user_id })).rejects.toThrow(
    'the bot has no state "points"; available: karma/points',
  )
})

test('a resource of a plugin opens with the options of its bot, for each bot', async () => {
  const root = new URL('.', import.meta.url)
  await using chat = await startTestBot(root)
  await using other = await startTestBot(root)
  expect(await chat.person('ann').says('/thanks')).toHaveReplied('Thanks: 2')
  expect(await chat.person('ann').says('/thanks')).toHaveReplied('Thanks: 4')
  expect(await other.person('ann').says('/thanks')).toHaveReplied('Thanks: 2')
  await chat.restartBot()
  expect(await chat.person('ann').says('/thanks')).toHaveReplied('Thanks: 2')
})
