import type { Chat } from '../chat.ts'
import type { BotRow, UserRow } from '../db/rows.ts'
import { notFound, Refusal } from '../refusal.ts'
import { hashToken } from '../tokens.ts'
import { findBot } from './users.ts'

/** Finds a bot of the actor; for other bots, throws as if they did not exist. */
export function requireOwn(chat: Chat, actor: UserRow, id: string): BotRow {
  const bot = findBot(chat, id)
  if (!bot || bot.owner_id !== actor.id) throw notFound('bot')
  return bot
}

export function requireStaff(actor: UserRow): void {
  if (actor.staff === 0) throw new Refusal(403, "not allowed: only the service's staff can do this")
}

export function insertBot(chat: Chat, ownerId: string, user: UserRow, token: string): void {
  chat.sql.run('INSERT INTO bots (user_id, owner_id, token_hash) VALUES (?, ?, ?)', user.id, ownerId, hashToken(token))
}

/** Approves a bot without a review, for worlds. */
export function approve(chat: Chat, botId: string): void {
  chat.sql.run("UPDATE bots SET review_state = 'approved', review_reason = NULL, public = 1 WHERE user_id = ?", botId)
}
