import type { Chat } from '../chat.ts'
import type { UserRow } from '../db/rows.ts'
import { hashToken } from '../tokens.ts'

export function insertBot(chat: Chat, ownerId: string, user: UserRow, token: string): void {
  chat.sql.run('INSERT INTO bots (user_id, owner_id, token_hash) VALUES (?, ?, ?)', user.id, ownerId, hashToken(token))
}

/** Approves a bot without a review, for worlds. */
export function approve(chat: Chat, botId: string): void {
  chat.sql.run("UPDATE bots SET review_state = 'approved', review_reason = NULL, public = 1 WHERE user_id = ?", botId)
}
