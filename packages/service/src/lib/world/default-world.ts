import { foldName } from '@botwright/protocol/typed-text'
import type { World } from './world.ts'

/**
 * The default world of `framework dev`: the server "Workshop" with ann (owner), bob, carol and one bot. A bot with the name of one of
 * them is called `bob_bot`.
 */
export function defaultWorld(botName: string, token?: string): World {
  const people = [{ username: 'ann' }, { username: 'bob' }, { username: 'carol' }]
  const username = people.some((one) => one.username === foldName(botName)) ? `${botName}_bot` : botName
  return {
    people,
    bots: [{ username, owner: 'ann', ...(token !== undefined && { token }) }],
    servers: [
      {
        name: 'Workshop',
        owner: 'ann',
        members: ['bob', 'carol'],
        bots: [username],
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
