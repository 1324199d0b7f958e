import type { Endpoints } from '@botwright/protocol'
import { requireCapacity } from '../rules/bounds.ts'
import type { Chat } from '../chat.ts'
import { checkEmoji } from '../rules/content-rules.ts'
import type { ChannelRow, MessageRow, UserRow } from '../db/rows.ts'
import { emit } from '../store/emit.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import { refuseDuplicate, requireNoTimeout, requirePosting } from '../store/posting.ts'
import { Refusal } from '../refusal.ts'
import { botsIn, may } from '../store/access.ts'
import {
  deleteMessage,
  editMessage,
  findMessage,
  insertMessage,
  listMessages,
  messageView,
  reactionsOf,
  notifyMessage,
} from '../store/messages.ts'
import { notifyChannel } from '../store/notify.ts'

const mayDelete = (chat: Chat, channel: ChannelRow, actor: UserRow, row: MessageRow) =>
  row.author_id === actor.id ||
  (channel.server_id !== null && may(chat, channel.server_id, actor.id, 'manage_messages'))

function setPinned(chat: Chat, channel: ChannelRow, id: string, pinned: boolean) {
  findMessage(chat, channel.id, id)
  chat.sql.run('UPDATE messages SET pinned = ? WHERE id = ?', pinned ? 1 : 0, id)
  notifyMessage(chat, 'message_update', channel, findMessage(chat, channel.id, id))
  return ok
}

export const messages: Handlers<Endpoints>['messages'] = {
  list: ({ chat, actor, channel, query }) => listMessages(chat, channel, query, actor.id),
  create({ chat, actor, channel, body }) {
    requirePosting(chat, channel, actor)
    if (actor.bot === 1) refuseDuplicate(chat, channel, actor, body)
    return messageView(chat, insertMessage(chat, channel, actor, body), channel, actor.id)
  },
  get: ({ chat, actor, channel, params }) =>
    messageView(chat, findMessage(chat, channel.id, params.message_id), channel, actor.id),
  update({ chat, actor, channel, params, body }) {
    const row = findMessage(chat, channel.id, params.message_id)
    if (row.author_id !== actor.id) throw new Refusal(403, 'not allowed: only the author can edit a message')
    requireNoTimeout(chat, channel, actor.id)
    return messageView(chat, editMessage(chat, channel, row, body), channel, actor.id)
  },
  delete({ chat, actor, channel, params }) {
    const row = findMessage(chat, channel.id, params.message_id)
    if (!mayDelete(chat, channel, actor, row)) {
      throw new Refusal(
        403,
        "not allowed: deleting others' messages requires a role with the permission manage_messages",
      )
    }
    deleteMessage(chat, channel, row.id)
    return ok
  },
  bulkDelete({ chat, actor, channel, body }) {
    const deleted: string[] = []
    const skipped: string[] = []
    for (const id of new Set(body.ids)) {
      const row = chat.sql.get<MessageRow>('SELECT * FROM messages WHERE id = ? AND channel_id = ?', id, channel.id)
      if (row && mayDelete(chat, channel, actor, row)) {
        deleteMessage(chat, channel, id)
        deleted.push(id)
      } else skipped.push(id)
    }
    return { deleted, skipped }
  },
  pin: ({ chat, channel, params }) => setPinned(chat, channel, params.message_id, true),
  unpin: ({ chat, channel, params }) => setPinned(chat, channel, params.message_id, false),
}

interface Reacted {
  type: 'reaction_add' | 'reaction_remove'
  row: MessageRow
  actor: UserRow
  emoji: string
}

/** Sends a reaction event to every bot that can see the channel, except the one that reacted (§6). */
function notifyReaction(chat: Chat, channel: ChannelRow, { type, row, actor, emoji }: Reacted): void {
  const place = { message_id: row.id, channel_id: channel.id, server_id: channel.server_id }
  const data = { ...place, user_id: actor.id, username: actor.username, emoji }
  const others = botsIn(chat, channel).filter(({ botId }) => botId !== actor.id)
  emit(chat, type, { ...data, message_author_id: row.author_id }, others)
  notifyChannel(chat, channel, type, (viewerId) => ({ ...data, reactions: reactionsOf(chat, row.id, viewerId) }))
}

export const reactions: Handlers<Endpoints>['reactions'] = {
  list({ chat, actor, channel, params }) {
    const row = findMessage(chat, channel.id, params.message_id)
    return { reactions: reactionsOf(chat, row.id, actor.id) }
  },
  add({ chat, actor, channel, params: { message_id, emoji: typed } }) {
    const emoji = checkEmoji(typed)
    const row = findMessage(chat, channel.id, message_id)
    requireNoTimeout(chat, channel, actor.id)
    const known = chat.sql.get('SELECT 1 FROM reactions WHERE message_id = ? AND emoji = ? LIMIT 1', row.id, emoji)
    if (!known) requireCapacity(chat, 'emoji_per_message', row.id)
    const { changes } = chat.sql.run(
      'INSERT OR IGNORE INTO reactions (message_id, emoji, user_id) VALUES (?, ?, ?)',
      row.id,
      emoji,
      actor.id,
    )
    if (changes > 0) notifyReaction(chat, channel, { type: 'reaction_add', row, actor, emoji })
    return ok
  },
  remove({ chat, actor, channel, params: { message_id, emoji: typed } }) {
    const emoji = checkEmoji(typed)
    const row = findMessage(chat, channel.id, message_id)
    const { changes } = chat.sql.run(
      'DELETE FROM reactions WHERE message_id = ? AND emoji = ? AND user_id = ?',
      row.id,
      emoji,
      actor.id,
    )
    if (changes > 0) notifyReaction(chat, channel, { type: 'reaction_remove', row, actor, emoji })
    return ok
  },
}
