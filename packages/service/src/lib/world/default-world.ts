import type { World } from './world.ts'

/** The default world of `framework dev`: the server "Workshop" with ann (owner), bob, carol and one bot. */
export function defaultWorld(botName: string, token?: string): World {
  return {
    people: [{ username: 'ann' }, { username: 'bob' }, { username: 'carol' }],
    bots: [{ username: botName, owner: 'ann', ...(token !== undefined && { token }) }],
    servers: [
      {
        name: 'Workshop',
        owner: 'ann',
        members: ['bob', 'carol'],
        bots: [botName],
        channels: [
          { name: 'general' },
          { name: 'random' },
          { name: 'staff', private: true },
          { name: 'Lounge', type: 'voice' },
        ],
      },
    ],
  }
}
