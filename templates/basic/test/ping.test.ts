import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'

test('/ping is answered, and the button counts on', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const ann = await chat.person('ann')

  const pong = await ann.says('/ping')
  expect(pong.content).toBe('Pong, ann!')

  const counted = await ann.clicks(pong, 'Again')
  expect(counted.content).toBe('Pong × 2')
})
