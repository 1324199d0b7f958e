import type { Chat } from '../chat.ts'
import { openSession } from '../store/users.ts'
import type { CheckedWorld } from './world.ts'

/** The ids and tokens of a started service, by name. The records have no prototype: `people['constructor']` is a person, or undefined. */
export interface RunningWorld {
  people: Record<string, { id: string; token: string }>
  /** The token is null if the service resumed from a file, which stores only its hash. */
  bots: Record<string, { id: string; token: string | null }>
  servers: Record<
    string,
    {
      id: string
      channels: Record<string, string>
      roles: Record<string, string>
      categories: Record<string, string>
    }
  >
}

interface Named {
  id: string
  name: string
}

const recordOf = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.assign(Object.create(null) as Record<string, T>, Object.fromEntries(entries))

/** `made` is the newly written world, which has the tokens; without it, a person gets a new session when their token is first read. */
export function describeWorld(chat: Chat, made: CheckedWorld | undefined): RunningWorld {
  const users = chat.sql.all<Named & { bot: number }>(
    'SELECT id, username AS name, bot FROM users WHERE webhook_id IS NULL ORDER BY rowid',
  )
  const tokens = new Map([...(made?.people ?? []), ...(made?.bots ?? [])].map((each) => [each.username, each.token]))
  const byName = (rows: readonly Named[]) => recordOf(rows.map((row) => [row.name, row.id]))
  // Only a token that is read opens a session: the sessions of many restarts would end those of people.
  const withToken = (id: string, known: string | undefined) => ({
    id,
    get token() {
      return (known ??= openSession(chat, id))
    },
  })
  const inServer = (table: 'channels' | 'roles' | 'categories', serverId: string) =>
    byName(chat.sql.all<Named>(`SELECT id, name FROM ${table} WHERE server_id = ? ORDER BY rowid`, serverId))
  return {
    people: recordOf(
      users.filter((user) => user.bot === 0).map(({ id, name }) => [name, withToken(id, tokens.get(name))]),
    ),
    bots: recordOf(
      users.filter((user) => user.bot === 1).map(({ id, name }) => [name, { id, token: tokens.get(name) ?? null }]),
    ),
    servers: recordOf(
      chat.sql.all<Named>('SELECT id, name FROM servers ORDER BY rowid').map(({ id, name }) => [
        name,
        {
          id,
          channels: inServer('channels', id),
          roles: inServer('roles', id),
          categories: inServer('categories', id),
        },
      ]),
    ),
  }
}
