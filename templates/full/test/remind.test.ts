import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('replies to /ping and welcomes new members', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  expect(await chat.person('ann').says('/ping')).toHaveReplied('Pong, ann!')
  expect(await chat.person('zoe').joins()).toHaveReplied(/^Welcome/)
})

test('sends a reminder on time, even after a restart', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  const ann = chat.person('ann')
  expect(await ann.says('/remind 2h water the plants')).toHaveReplied('I will remind you in 2 h.')
  await chat.clock.advance({ hours: 1 })
  await chat.restartBot()
  expect(await ann.watches(() => chat.clock.advance({ minutes: 61 }))).toHaveReplied('⏰ water the plants')
})
