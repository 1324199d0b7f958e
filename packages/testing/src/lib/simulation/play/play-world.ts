import { isId, permissions } from '@botwright/protocol/facts'
import type { Definition } from '@botwright/framework'
import type { World } from '@botwright/service'
import { phrasesIn } from './phrases.ts'

/** Longer than the name of a role. */
const MOST_NAME = 32

/** The names of roles in the guards of a bot. */
function rolesOf(definitions: readonly Definition[]): string[] {
  const phrases = definitions.flatMap(({ guards = [] }) => guards.flatMap(phrasesIn))
  const names = phrases.flatMap(({ text, values: { role } }) =>
    text === 'guard.for_role' && typeof role === 'string' && role.length <= MOST_NAME && !isId(role) ? [role] : [],
  )
  return [...new Set([...names, 'mods', 'staff'])]
}

/**
 * Two servers: in the first the bot has all permissions, and both have each role that a guard of the bot names. In the second it has none.
 */
export function playWorld(definitions: readonly Definition[], bot: string): World {
  return {
    people: ['ann', 'bob', 'carol', 'dan'].map((username) => ({ username })),
    bots: [{ username: bot, owner: 'ann' }],
    servers: [
      {
        name: 'Workshop',
        owner: 'ann',
        members: ['bob', 'carol', 'dan'],
        bots: [bot],
        roles: [
          ...rolesOf(definitions).map((name) => ({ name, permissions: [...permissions], members: ['bob', bot] })),
          { name: 'guests' },
          { name: 'Robots', permissions: [...permissions], members: [bot] },
        ],
        channels: [
          { name: 'general' },
          { name: 'random' },
          { name: 'staff', private: true },
          { name: 'Lounge', type: 'voice' },
        ],
      },
      { name: 'Annex', owner: 'bob', members: ['ann', 'dan'], bots: [bot], channels: [{ name: 'annex' }] },
    ],
  }
}

/** The channels in which each person writes, in the order of the people. */
export function placesIn({ people = [], servers = [] }: World): string[][] {
  return people.map(({ username }) => {
    const own = servers.filter((one) => one.owner === username || one.members?.includes(username))
    const channels = own.flatMap((server) =>
      (server.channels ?? []).filter((one) => one.type !== 'voice' && (!one.private || server.owner === username)),
    )
    return [...channels.map(({ name }) => name), 'dm']
  })
}
