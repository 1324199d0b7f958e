import type { Chat } from './chat.ts'
import { Refusal } from './refusal.ts'

/** How much of everything the service keeps (decision 0008): room for load tests and classrooms, and an end for a program that runs away. */
export const bounds = {
  people: 10_000,
  /** The oldest ones end: whoever signs in again and again is not locked out. */
  sessions_per_person: 100,
  servers_per_person: 100,
  channels_per_server: 500,
  categories_per_server: 100,
  roles_per_server: 250,
  emoji_per_message: 100,
  uploads: 10_000,
  pictures_per_person: 500,
} as const

/** What a bound counts: the rows, and the fix for whoever meets it. */
const counted = {
  people: {
    count: 'SELECT count(*) AS count FROM users WHERE bot = 0',
    refusal: 'username: not allowed: the service takes at most $ people; sign in with a name that exists',
  },
  servers_per_person: {
    count: 'SELECT count(*) AS count FROM servers WHERE owner_id = ?',
    refusal: 'not allowed: a person owns at most $ servers; rename one instead',
  },
  channels_per_server: {
    count: 'SELECT count(*) AS count FROM channels WHERE server_id = ?',
    refusal: 'not allowed: a server takes at most $ channels; delete one first',
  },
  categories_per_server: {
    count: 'SELECT count(*) AS count FROM categories WHERE server_id = ?',
    refusal: 'not allowed: a server takes at most $ categories; delete one first',
  },
  roles_per_server: {
    count: 'SELECT count(*) AS count FROM roles WHERE server_id = ?',
    refusal: 'not allowed: a server takes at most $ roles; delete one first',
  },
  emoji_per_message: {
    count: 'SELECT count(DISTINCT emoji) AS count FROM reactions WHERE message_id = ?',
    refusal: 'emoji: not allowed: a message takes at most $ different emoji; remove one first',
  },
  uploads: {
    count: 'SELECT count(*) AS count FROM uploads',
    refusal: 'file: not allowed: the service keeps at most $ pictures; delete messages with pictures first',
  },
  pictures_per_person: {
    count: "SELECT count(*) AS count FROM uploads WHERE user_id = ? AND place = 'attachment'",
    refusal: 'file: not allowed: the messages of a person hold at most $ pictures; delete one of them first',
  },
} as const satisfies Partial<Record<keyof typeof bounds, { count: string; refusal: string }>>

/** Refuses one more where there are as many as fit; `of` is the person, server or message that they are counted for. */
export function requireRoom(chat: Chat, bound: keyof typeof counted, ...of: string[]): void {
  const { count, refusal } = counted[bound]
  if (chat.sql.get<{ count: number }>(count, ...of)!.count < bounds[bound]) return
  throw new Refusal(403, refusal.replace('$', String(bounds[bound])))
}
