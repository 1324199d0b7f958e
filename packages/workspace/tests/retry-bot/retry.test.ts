import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of "Retry a task" in packages/framework/docs/tasks.md.

test('the report is sent by the fifth attempt', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  await ann.says('/report')
  expect(await ann.watches(() => chat.clock.advance({ hours: 1 }))).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance({ seconds: 39 }))).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance({ seconds: 1 }))).toHaveReplied('Sold today: 12')
})

test('the bot sets the report aside after its last attempt, whose error the test gets', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  await chat.person('ann').says('/report closed')
  await chat.clock.advance({ hours: 1, seconds: 49 })
  await expect(chat.clock.advance({ seconds: 1 })).rejects.toThrow('the shop is closed')
  expect(chat.log.at(-1)?.msg).toMatch(/is set aside after 6 attempts: totals\.ts:\d+: the shop is closed$/)
})
