import { permissions } from '@botwright/protocol/facts'
import type { Definition } from '@botwright/framework'
import type { World } from '@botwright/service'

/** The names of roles in the guards of a bot. */
function rolesOf(definitions: readonly Definition[]): string[] {
  const guards = JSON.stringify(definitions.map((one) => one.guards ?? []))
  const names = [...guards.matchAll(/"guard\.for_role","values":\{"role":"((?:[^"\\]|\\.)+)"/g)].map(
    ([, name]) => JSON.parse(`"${name}"`) as string,
  )
  return [...new Set([...names, 'mods', 'staff'])].filter((name) => !/^[0-9a-f-]{36}$/.test(name) && name.length <= 32)
}

/**
 * Two servers: in the first the bot has all permissions, and bob has each role that a guard of the bot names. In the second it has none.
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
          ...rolesOf(definitions).map((name) => ({ name, permissions: [...permissions], members: ['bob'] })),
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
