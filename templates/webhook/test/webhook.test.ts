import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test, vi } from 'vitest'

const folder = new URL('..', import.meta.url)

test('replies to /ping and welcomes new members', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  expect(await chat.person('ann').says('/ping')).toHaveReplied('Pong, ann!')
  expect(await chat.person('zoe').joins()).toHaveReplied(/^Welcome/)
})

test.each([
  { secret: '', delivery: 'poll' },
  { secret: 'webhook-secret', delivery: 'both' },
])('with the webhook secret "$secret", delivery is $delivery', async ({ secret, delivery }) => {
  vi.resetModules()
  vi.stubEnv('BOT_WEBHOOK_SECRET', secret)
  try {
    const { default: config } = await import('../bot.config.ts')
    expect(config.delivery).toBe(delivery)
  } finally {
    vi.unstubAllEnvs()
  }
})
