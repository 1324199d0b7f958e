import { timeMs } from '@botwright/protocol/typed-text'
import type { Chat } from '../chat.ts'
import type { ChannelRow, MessageRow } from '../db/rows.ts'
import { iso } from '../iso-time.ts'
import { canSee } from '../store/access.ts'
import { mentions } from '../store/mentions.ts'

type Dated = ChannelRow & { at: number | null }

/** The channels that a person can see, with the time of their newest message. */
export function channelsSeenBy(chat: Chat, viewerId: string): Dated[] {
  const rows = chat.sql.all<Dated>(
    `SELECT c.*, (SELECT max(created_at) FROM messages WHERE channel_id = c.id) AS at FROM channels c
      WHERE c.server_id IN (SELECT server_id FROM members WHERE user_id = ?)
         OR c.id IN (SELECT channel_id FROM channel_users WHERE user_id = ?)`,
    viewerId,
    viewerId,
  )
  return rows.filter((row) => canSee(chat, row, viewerId))
}

/** The time of the newest message of each channel that a person can see, for unread marks. */
export const newestTimes = (chat: Chat, viewerId: string) =>
  channelsSeenBy(chat, viewerId).flatMap(({ id, server_id, at }) =>
    at === null ? [] : [{ channel_id: id, server_id, at: iso(at) }],
  )

/** Messages counted per channel: the page shows 99+. */
const COUNTED = 100

/** The messages of others after a time, and how many of them mention the person; at most `COUNTED` messages per channel. */
export function countUnread(chat: Chat, viewerId: string, readUntil: Readonly<Record<string, string>>) {
  const channels = channelsSeenBy(chat, viewerId)
  return channels.flatMap((channel) => {
    const since = readUntil[channel.id]
    if (since === undefined || channel.at === null || channel.at <= timeMs(since).floor) return []
    const rows = chat.sql.all<MessageRow>(
      'SELECT * FROM messages WHERE channel_id = ? AND created_at > ? AND author_id <> ? ORDER BY created_at LIMIT ?',
      channel.id,
      timeMs(since).floor,
      viewerId,
      COUNTED,
    )
    const counts = (row: MessageRow) => channel.server_id === null || mentions(chat, row, channel, viewerId)
    return [{ channel_id: channel.id, messages: rows.length, mentions: rows.filter(counts).length }]
  })
}
