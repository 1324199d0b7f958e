import type { Chat } from '../chat.ts'
import type { ChannelRow, MessageRow } from '../db/rows.ts'
import { messageView } from '../store/messages.ts'
import { authorView, findUser } from '../store/users.ts'

/** The pinned messages of a channel, newest first, with their authors. */
export function listPins(chat: Chat, channel: ChannelRow, viewerId: string) {
  const rows = chat.sql.all<MessageRow>(
    'SELECT * FROM messages WHERE channel_id = ? AND pinned = 1 ORDER BY created_at DESC',
    channel.id,
  )
  const authors = [...new Set(rows.map((row) => row.author_id))].map((id) => authorView(findUser(chat, id)!))
  return { messages: rows.map((row) => messageView(chat, row, channel, viewerId)), authors }
}
