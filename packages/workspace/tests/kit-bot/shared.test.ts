import { startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterAll, beforeAll, expect, test } from 'vitest'

let chat: TestBot
beforeAll(async () => void (chat = await startTestBot(new URL('.', import.meta.url))))
afterAll(() => chat[Symbol.asyncDispose]())

test('a vote shows its choices', async () => {
  expect(await chat.person('ann').says('/vote')).toHaveReplied('Tea or coffee?')
})

test('votes in two channels are independent', async () => {
  const bob = chat.person('bob').in('random')
  await bob.says('/vote')
  expect(await bob.clicks('Tea')).toHaveUpdated(/bob takes tea/)
})
