import { expect, test } from 'vitest'
import { readBotFolder } from './bot-folder.ts'

test.each([
  ['bot.config.ts', 'bot.config.js'],
  ['bot.config.mjs', 'src/bot.config.ts'],
])('rejects two configuration files: %s and %s', (one, two) => {
  expect(readBotFolder([one]).configFile).toBe(one)
  expect(readBotFolder([two]).configFile).toBe(two)
  expect(() => readBotFolder(['commands/ping.ts', two, one])).toThrow(
    expect.objectContaining({
      code: 'ERR_CONFLICT',
      message: `${one} and ${two} are both configuration files; remove one`,
    }),
  )
})
