import { startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = {
  people: ['ann', 'sam', 'bob'].map((username) => ({ username })),
  servers: [
    {
      name: 'Shop',
      owner: 'ann',
      members: ['sam', 'bob'],
      roles: [{ name: 'staff', permissions: ['manage_channels' as const], members: ['sam', 'bot'] }],
      channels: [{ name: 'general' }],
    },
  ],
}

async function opened(): Promise<TestBot> {
  const chat = await startTestBot(new URL('..', import.meta.url), { world })
  const answer = await chat.person('bob').says('/ticket my parcel has not arrived')
  expect(answer).toHaveReplied(/^Your ticket is open/)
  expect(answer).toHaveReacted('🎫')
  return chat
}

test('opens a private channel that only staff can see', async () => {
  await using chat = await opened()
  expect(await chat.person('sam').channels()).toContain('ticket-bob')
  expect(await chat.person('bob').channels()).toEqual(['general'])
  const [first] = await chat.person('sam').in('ticket-bob').sees()
  expect(first?.content).toMatch(/asks: my parcel has not arrived/)
})

test('forwards messages in both directions, even after a restart', async () => {
  await using chat = await opened()
  const sam = chat.person('sam').in('ticket-bob')
  const bob = chat.person('bob').dm()
  expect(await sam.says('Which number?')).toHaveReacted('📨')
  expect((await bob.sees()).at(-1)?.content).toBe('**sam**: Which number?')
  await chat.restartBot()
  expect(await bob.says('4711')).toHaveReacted('📨')
  expect((await sam.sees()).at(-1)?.content).toBe('**bob**: 4711')
})

test('rejects a second open ticket and cleans up a closed one', async () => {
  await using chat = await opened()
  const bob = chat.person('bob')
  expect(await bob.says('/ticket another one')).toHaveReplied(/You already have an open ticket/)
  await chat.person('sam').in('ticket-bob').clicks('Close')
  expect((await bob.dm().sees()).at(-1)?.content).toBe('sam closed your ticket.')
  expect(await chat.person('sam').channels()).toEqual(['general'])
  expect(await bob.dm().says('hello?')).toHaveReplied(/You have no open ticket/)
  expect(await bob.says('/ticket another one')).toHaveReplied(/^Your ticket is open/)
})
