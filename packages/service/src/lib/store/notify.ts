import type { Chat } from '../chat.ts'
import type { ChannelRow } from '../db/rows.ts'
import type { Replay } from '../people-api/resources.ts'
import type { StreamEvent, StreamEventType } from '../people-api/stream-events.ts'
import { canSee, findMember } from './access.ts'

/** Sends an event to one person's pages, after the commit. */
export function notify<T extends StreamEventType>(chat: Chat, userId: string, type: T, data: StreamEvent<T>): void {
  if (chat.stream.listens(userId)) chat.afterCommit.push(() => chat.stream.send(userId, type, data))
}

/** Sends an event to the open pages of a server's members. */
export function notifyServer<T extends StreamEventType>(
  chat: Chat,
  serverId: string,
  type: T,
  data: StreamEvent<T>,
): void {
  for (const userId of chat.stream.listeners()) {
    if (findMember(chat, serverId, userId)) notify(chat, userId, type, data)
  }
}

/** Sends an event to everyone who can see a channel; `data` depends on the viewer, because messages do (`mentioned`, `me`). */
export function notifyChannel<T extends StreamEventType>(
  chat: Chat,
  channel: ChannelRow,
  type: T,
  data: (viewerId: string) => StreamEvent<T>,
): void {
  for (const userId of chat.stream.listeners()) {
    if (canSee(chat, channel, userId)) notify(chat, userId, type, data(userId))
  }
}

/** Sends an event to everyone who shares a server or direct messages with a user, and to the user. */
export function notifyAcquainted<T extends StreamEventType>(
  chat: Chat,
  userId: string,
  type: T,
  data: StreamEvent<T>,
): void {
  for (const viewer of chat.stream.listeners()) if (shared(chat, viewer, userId)) notify(chat, viewer, type, data)
}

/** Whether two users have a server or direct messages in common, or are the same. */
export const shared = (chat: Chat, one: string, other: string): boolean =>
  one === other ||
  chat.sql.get(
    `SELECT 1 FROM members a JOIN members b ON b.server_id = a.server_id WHERE a.user_id = ? AND b.user_id = ?
     UNION ALL
     SELECT 1 FROM channel_users a JOIN channel_users b ON b.channel_id = a.channel_id WHERE a.user_id = ? AND b.user_id = ?
     LIMIT 1`,
    one,
    other,
    one,
    other,
  ) !== undefined

/** Sends the owner of a bot the result of a replay, outside of transactions. */
export function sendReplay(chat: Chat, bot_id: string, event_id: number, replay: Replay): void {
  const ownerId = chat.directory.bot(bot_id)?.owner_id
  if (ownerId === undefined) return
  chat.stream.send(ownerId, 'bot_replay', { channel_id: null, server_id: null, bot_id, event_id, replay })
}
