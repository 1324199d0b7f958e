import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('shows the queue and updates it on a click', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')

  const answer = await ann.says('/status')
  expect(answer).toHaveEmbed({ title: 'Queue', color: '#2c9d5b' })
  expect(answer.embeds[0]?.fields).toContainEqual({ name: 'Waiting', value: '1', inline: true })

  const update = await ann.clicks('Refresh')
  expect(update).toHaveEmbed({ title: 'Queue', color: '#d33a2c' })
})
