import type { Chat } from '../chat.ts'
import type { ChannelRow } from '../db/rows.ts'
import { iso } from '../iso-time.ts'
import { canSee } from '../store/access.ts'

/** The time of the newest message of each channel that a person can see, for unread marks. */
export function newestTimes(chat: Chat, viewerId: string) {
  const rows = chat.sql.all<ChannelRow & { at: number }>(
    `SELECT c.*, (SELECT max(created_at) FROM messages WHERE channel_id = c.id) AS at FROM channels c
      WHERE c.server_id IN (SELECT server_id FROM members WHERE user_id = ?)
         OR c.id IN (SELECT channel_id FROM channel_users WHERE user_id = ?)`,
    viewerId,
    viewerId,
  )
  return rows
    .filter((row) => row.at !== null && canSee(chat, row, viewerId))
    .map((row) => ({ channel_id: row.id, server_id: row.server_id, at: iso(row.at) }))
}
