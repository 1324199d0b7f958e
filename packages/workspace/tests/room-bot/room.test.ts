import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = {
  people: [{ username: 'ann' }, { username: 'bob' }, { username: 'carol' }],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob', 'carol'],
      channels: [{ name: 'general' }],
      roles: [
        { name: 'room-1' },
        { name: 'janitor', permissions: ['manage_roles' as const, 'manage_channels' as const], members: ['bot'] },
      ],
    },
  ],
}

test('one member, managers and the bot see the channel; other members do not', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url), { world })
  const [bob, carol] = [chat.person('bob'), chat.person('carol')]
  await bob.says('/room')
  expect(await bob.channels()).toContain('room-1')
  expect(await carol.channels()).not.toContain('room-1')
  expect(await carol.says('/room')).toHaveReplied('All rooms are taken.')
})
