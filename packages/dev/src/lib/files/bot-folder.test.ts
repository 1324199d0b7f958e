import { expect, test } from 'vitest'
import { readBotFolder } from './bot-folder.ts'

test.each([
  ['bot.config.ts', 'bot.config.js'],
  ['bot.config.mjs', 'src/bot.config.ts'],
])('of two configurations, %s and %s, none is ignored', (one, two) => {
  expect(readBotFolder([one]).configFile).toBe(one)
  expect(readBotFolder([two]).configFile).toBe(two)
  expect(() => readBotFolder(['commands/ping.ts', two, one])).toThrow(
    expect.objectContaining({
      code: 'ERR_CONFLICT',
      message: `${one} and ${two} are both the configuration; remove one`,
    }),
  )
})
