import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of the page on the environment.
const root = new URL('.', import.meta.url)

test('handlers can use the declared variables and find buttons by name', async () => {
  await using chat = await startTestBot(root, { env: { WEATHER_KEY: 'key-of-the-weather' } })
  const ann = chat.person('ann')
  expect(await ann.says('/hello')).toHaveReplied('Good morning')
  expect(await ann.says('/ask')).toHaveReplied('Does it rain?')
  expect(await ann.clicks('Yes')).toHaveUpdated('It rains.')
})

test('a bot with invalid variables does not start', async () => {
  await expect(startTestBot(root, { env: { WEATHER_KEY: 'short' } })).rejects.toThrow(
    /^WEATHER_KEY does not match env in bot\.config\.ts \(.*\): correct it in \.env$/,
  )
  await expect(startTestBot(root)).rejects.toThrow('WEATHER_KEY is not set: add WEATHER_KEY=… to .env')
  await expect(startTestBot(root)).rejects.toThrow("pass it to startTestBot: { env: { WEATHER_KEY: '…' } }")
})
