import { foldName } from '@botwright/protocol/typed-text'
import { defaultWorld } from './default-world.ts'
import type { Chat } from '../chat.ts'
import type { Sql } from '../db/sql.ts'
import { serversOf } from '../store/servers.ts'
import { findBot, findUser } from '../store/users.ts'
import type { World } from './world.ts'

/** Fields that only their owner may read. */
const secrets = new Set(['token', 'event_webhook'])

/** A world as its author wrote it, without secrets. The content rules are in a separate row. */
const kept = (world: World): string =>
  JSON.stringify(world, (key, value: unknown) => (secrets.has(key) || key === 'content_rules' ? undefined : value))

/** Stores the world that a service starts with, so that tests can start with the same. */
export function keepWorld(sql: Sql, world: World): void {
  sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('world', ?)", kept(world))
}

/**
 * The world for a test of a bot: the one that the service started with, with that bot first. Null if the kit's default world is enough:
 * for the default world, for one without people, and for a data file of an older release, which does not contain its world.
 */
export function worldOfBot(chat: Chat, botId: string): World | null {
  const row = chat.sql.get<{ value: string }>("SELECT value FROM meta WHERE key = 'world'")
  const world = JSON.parse(row?.value ?? '{}') as World
  const { people = [], bots = [], servers = [] } = world
  if (people.length === 0 || (bots[0] && row?.value === kept(defaultWorld(bots[0].username)))) return null
  const rules = chat.sql.get<{ value: string }>("SELECT value FROM meta WHERE key = 'content_rules'")?.value ?? '{}'
  const whole = { ...world, ...(rules !== '{}' && { content_rules: JSON.parse(rules) as World['content_rules'] }) }
  const { username } = findUser(chat, botId)!
  const own = bots.find((bot) => isSame(bot.username, username))
  if (own) return { ...whole, bots: [own, ...bots.filter((bot) => bot !== own)] }
  // Created later, perhaps by a person who also joined later.
  const owner = findUser(chat, findBot(chat, botId)!.owner_id)!.username
  const inside = new Set(serversOf(chat, botId).map(({ name }) => name))
  return {
    ...whole,
    people: people.some((person) => isSame(person.username, owner)) ? people : [...people, { username: owner }],
    bots: [{ username, owner }, ...bots],
    servers: servers.map((server) =>
      inside.has(server.name) ? { ...server, bots: [...(server.bots ?? []), username] } : server,
    ),
  }
}

const isSame = (one: string, other: string): boolean => foldName(one) === foldName(other)
