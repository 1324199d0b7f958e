import { Name } from '@botwright/protocol'
import { isId, permissions } from '@botwright/protocol/facts'
import { foldName } from '@botwright/protocol/typed-text'
import type { Definition } from '@botwright/framework'
import type { World } from '@botwright/service'
import { phrasesIn } from './phrases.ts'

/** Roles of the world that no guard has to name. */
const GUESTS = 'guests'
const ROBOTS = 'Robots'

/** The names of roles in the guards of a bot, each once: upper case makes no other role. */
function rolesOf(definitions: readonly Definition[]): string[] {
  const phrases = definitions.flatMap(({ guards = [] }) => guards.flatMap(phrasesIn))
  const names = phrases.flatMap(({ text, values: { role } }) =>
    text === 'guard.for_role' && typeof role === 'string' && Name.safeParse(role).success && !isId(role) ? [role] : [],
  )
  return [...new Map([...names, 'mods', 'staff'].map((name) => [foldName(name), name])).values()]
}

/**
 * Two servers: in the first the bot has all permissions, and both have each role that a guard of the bot names. In the second it has none.
 */
export function playWorld(definitions: readonly Definition[], bot: string): World {
  const named = rolesOf(definitions)
  const others = [{ name: GUESTS }, { name: ROBOTS, permissions: [...permissions], members: [bot] }]
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
          ...named.map((name) => ({ name, permissions: [...permissions], members: ['bob', bot] })),
          ...others.filter(({ name }) => !named.some((one) => foldName(one) === foldName(name))),
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
    const isSame = (name: string) => foldName(name) === foldName(username)
    const own = servers.filter(({ owner, members = [] }) => [owner, ...members].some(isSame))
    const channels = own.flatMap((server) =>
      (server.channels ?? []).filter((one) => one.type !== 'voice' && (!one.private || isSame(server.owner))),
    )
    return [...channels.map(({ name }) => name), 'dm']
  })
}
