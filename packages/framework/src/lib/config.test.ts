import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('everything may be left out', async () => {
  expect(await readConfig({})).toEqual(await readConfig(undefined))
  expect(await readConfig(undefined)).toEqual({
    delivery: 'poll',
    start: 'now',
    limits: { handlerSeconds: 60, graceSeconds: 10, waiting: 1000, workers: 1 },
    answerBots: false,
    webhook: { port: 8788, host: '127.0.0.1', path: '/' },
  })
})

test.each([
  [{ limits: { handlerSeconds: 0 } }, 'bot.config.ts: limits.handlerSeconds must be at least 1'],
  [{ limits: 5 }, 'bot.config.ts: limits must be an object'],
  [{ delivery: 'push' }, "bot.config.ts: delivery must be 'poll' or 'webhook' or 'both'"],
  [{ limits: { handlers: 5 } }, 'bot.config.ts: limits.handlers is not known; remove it or correct its spelling'],
  [
    { messageBudget: true },
    'bot.config.ts: messageBudget must be false or { requests, seconds }, both whole numbers of at least 1',
  ],
  ['x', 'bot.config.ts: must export an object: export default defineConfig({ … })'],
])('%j is refused', async (value, message) => {
  await expect(readConfig(value)).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFIG', message }))
})
