import type { Chat } from '../chat.ts'
import type { ChannelRow, MessageRow, UserRow } from '../db/rows.ts'
import { Refusal, slowDown } from '../refusal.ts'
import { hasChannelRole, may } from './access.ts'
import type { MessageParts } from './messages.ts'
import { timeoutOf } from './servers.ts'

const DUPLICATE_MS = 10_000

const newestOf = (chat: Chat, channelId: string, authorId: string) =>
  chat.sql.get<MessageRow>(
    'SELECT * FROM messages WHERE channel_id = ? AND author_id = ? ORDER BY created_at DESC LIMIT 1',
    channelId,
    authorId,
  )

/** The time since a message. One with a later time is not new: a data file outlives a clock that was moved, and a computer's clock may be set back. */
const sinceMs = (chat: Chat, { posted_at }: MessageRow): number => Math.abs(chat.clock.now() - posted_at)

/** Refuses members who are timed out (§3). */
export function requireNoTimeout(chat: Chat, channel: ChannelRow, userId: string): void {
  if (channel.server_id === null || timeoutOf(chat, channel.server_id, userId) === null) return
  throw new Refusal(403, 'not allowed: timed out in this server')
}

/** Whether the read-only mode and the slowmode of a channel of a server do not apply to a member. */
export const isUnlimited = (chat: Chat, channel: ChannelRow, userId: string): boolean =>
  hasChannelRole(chat, channel, userId, 'post') ||
  (channel.server_id !== null && may(chat, channel.server_id, userId, 'manage_messages'))

/** Throws if the author may not post now: voice channel, timeout, read-only, slowmode (§2; for bots, too: decisions row 27). */
export function requirePosting(chat: Chat, channel: ChannelRow, author: UserRow): void {
  if (channel.type === 'voice') throw new Refusal(400, 'channel_id: cannot post to a voice channel')
  requireNoTimeout(chat, channel, author.id)
  if (channel.server_id === null || (channel.read_only === 0 && channel.slowmode === 0)) return
  if (isUnlimited(chat, channel, author.id)) return
  if (channel.read_only === 1) throw new Refusal(403, 'not allowed: the channel is read-only')
  const last = newestOf(chat, channel.id, author.id)
  const untilAllowed = last ? channel.slowmode * 1000 - sinceMs(chat, last) : 0
  // Deleting the last message must not shorten the wait for the next.
  const key = `slowmode ${channel.id} ${author.id}`
  const limit = { requests: 1, seconds: channel.slowmode, per: 'channel' } as const
  const waitMs = Math.max(untilAllowed, chat.rates.waitMs(key, limit))
  if (waitMs > 0) throw slowDown(waitMs, `the channel is in slowmode, one message per ${channel.slowmode} s`)
  chat.afterCommit.push(() => chat.rates.count(key, limit))
}

/** Refuses the same message twice within 10 seconds, without Retry-After because waiting does not help (§7, row 24). */
export function refuseDuplicate(chat: Chat, channel: ChannelRow, author: UserRow, parts: MessageParts): void {
  const last = newestOf(chat, channel.id, author.id)
  if (last === undefined || sinceMs(chat, last) >= DUPLICATE_MS) return
  const same =
    last.content === (parts.content ?? '') &&
    last.embeds === JSON.stringify(parts.embeds ?? []) &&
    last.components === JSON.stringify(parts.components ?? []) &&
    last.reply_to_id === (parts.reply_to ?? null)
  if (same) throw new Refusal(429, 'the same message was just posted here; change it before you send it again')
}
