import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('replies to /ping and welcomes new members', async () => {
  await using chat = await startTestBot(folder)
  expect(await chat.person('ann').says('/ping')).toHaveReplied('Pong, ann!')
  expect(await chat.person('zoe').joins()).toHaveReplied(/^Welcome/)
})

test('only polls without a webhook secret', async () => {
  const { default: polls } = await import('../bot.config.ts')
  expect(polls.delivery).toBe('poll')
})
