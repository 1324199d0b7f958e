import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test, vi } from 'vitest'
import config from '../bot.config.ts'

const folder = new URL('..', import.meta.url)

test('replies to /ping and counts the clicks of a channel', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  expect(await chat.person('ann').says('/ping')).toHaveReplied('Pong, ann!')
  expect(await chat.person('ann').clicks('Again')).toHaveUpdated('Pong × 1')
  expect(await chat.person('bob').clicks('Again')).toHaveUpdated('Pong × 2')
})

test('posts a reminder on time', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  const ann = chat.person('ann')
  expect(await ann.says('/remind 2h water the plants')).toHaveReplied('I will remind you in 2 h.')
  expect(await ann.watches(() => chat.clock.advance({ hours: 2 }))).toHaveReplied('⏰ water the plants')
})

test('needs a store that all instances share, unless the chat service is a local one', () => {
  vi.stubEnv('BOT_BASE_URL', 'https://chat.example.com/v1')
  try {
    expect(() => config.store?.({} as never)).toThrow('REDIS_REST_URL')
  } finally {
    vi.unstubAllEnvs()
  }
})
