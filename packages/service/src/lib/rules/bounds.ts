import type { Chat } from '../chat.ts'
import { Refusal } from '../refusal.ts'

/** How much the service stores (decision 0008): enough for load tests and classrooms, but bounded against runaway programs. */
export const bounds = {
  people: 10_000,
  /** The oldest sessions end, so that repeated sign-ins are never refused. */
  sessions_per_person: 100,
  servers_per_person: 100,
  channels_per_server: 500,
  categories_per_server: 100,
  roles_per_server: 250,
  emoji_per_message: 100,
  uploads: 10_000,
  pictures_per_person: 500,
} as const

/** For each bound, the query that counts, and the error text with the fix. */
const counted = {
  people: {
    count: 'SELECT count(*) AS count FROM users WHERE bot = 0',
    refusal: 'username: not allowed: the service can have at most $ people; sign in with an existing name',
  },
  servers_per_person: {
    count: 'SELECT count(*) AS count FROM servers WHERE owner_id = ?',
    refusal: 'not allowed: a person can own at most $ servers; rename one instead',
  },
  channels_per_server: {
    count: 'SELECT count(*) AS count FROM channels WHERE server_id = ?',
    refusal: 'not allowed: a server can have at most $ channels; delete one first',
  },
  categories_per_server: {
    count: 'SELECT count(*) AS count FROM categories WHERE server_id = ?',
    refusal: 'not allowed: a server can have at most $ categories; delete one first',
  },
  roles_per_server: {
    count: 'SELECT count(*) AS count FROM roles WHERE server_id = ?',
    refusal: 'not allowed: a server can have at most $ roles; delete one first',
  },
  emoji_per_message: {
    count: 'SELECT count(DISTINCT emoji) AS count FROM reactions WHERE message_id = ?',
    refusal: 'emoji: not allowed: a message can have at most $ different emoji; remove one first',
  },
  uploads: {
    count: 'SELECT count(*) AS count FROM uploads',
    refusal: 'file: not allowed: the service can store at most $ images; delete messages with images first',
  },
  pictures_per_person: {
    count: "SELECT count(*) AS count FROM uploads WHERE user_id = ? AND place = 'attachment'",
    refusal: "file: not allowed: a person's messages can have at most $ images; delete one first",
  },
} as const satisfies Partial<Record<keyof typeof bounds, { count: string; refusal: string }>>

/** Throws if a bound is reached; `of` is the person, server or message that it is counted for. */
export function requireCapacity(chat: Chat, bound: keyof typeof counted, ...of: string[]): void {
  const { count, refusal } = counted[bound]
  if (chat.sql.get<{ count: number }>(count, ...of)!.count < bounds[bound]) return
  throw new Refusal(403, refusal.replace('$', String(bounds[bound])))
}
