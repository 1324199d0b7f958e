import type { Embed } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { MessageRow } from '../db/rows.ts'
import { messageView } from '../store/messages.ts'
import { authorView, findUser } from '../store/users.ts'
import { channelsSeenBy } from './newest.ts'

/** Messages read by one call: it takes some milliseconds, and other calls run between two of them. */
const READ = 5_000

interface Query {
  text: string
  server_id?: string | undefined
  channel_id?: string | undefined
  author_id?: string | undefined
  before?: number | undefined
  limit: number
}

/** The texts of a message that people can read. */
function textOf({ content, embeds }: Pick<MessageRow, 'content' | 'embeds'>): string {
  if (embeds === '[]') return content
  const parts = (JSON.parse(embeds) as Embed[]).flatMap(({ author, title, description, fields, footer }) => [
    author?.name,
    title,
    description,
    ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ])
  return [content, ...parts].join('\n')
}

/**
 * The newest messages that contain a text, whatever its case, in the channels that the person can see. `next` continues with
 * older messages; it is null at the oldest one, and a call may find nothing before that.
 */
export function searchMessages(chat: Chat, viewerId: string, query: Query) {
  const { server_id, channel_id, author_id, limit } = query
  const channels = new Map(
    channelsSeenBy(chat, viewerId)
      .filter((each) => (channel_id ?? each.id) === each.id && (server_id ?? each.server_id) === each.server_id)
      .map((each) => [each.id, each]),
  )
  const needle = query.text.toLowerCase()
  const rows = chat.sql.all<MessageRow & { seq: number }>(
    'SELECT * FROM messages WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    query.before ?? Number.MAX_SAFE_INTEGER,
    READ,
  )
  const found: MessageRow[] = []
  let last: number | undefined
  for (const row of rows) {
    if (found.length === limit) break
    last = row.seq
    const isWanted = channels.has(row.channel_id) && (author_id ?? row.author_id) === row.author_id
    if (isWanted && textOf(row).toLowerCase().includes(needle)) found.push(row)
  }
  const readAll = last === rows.at(-1)?.seq && rows.length < READ
  const authors = [...new Set(found.map((row) => row.author_id))].map((id) => authorView(findUser(chat, id)!))
  return {
    messages: found.map((row) => messageView(chat, row, channels.get(row.channel_id)!, viewerId)),
    authors,
    next: readAll ? null : last!,
  }
}
