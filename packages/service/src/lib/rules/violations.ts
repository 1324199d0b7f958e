import type { Chat } from '../chat.ts'
import { Refusal } from '../refusal.ts'

const HOUR_MS = 60 * 60 * 1000
const VIOLATIONS_UNTIL_BAN = 3

/** Counts a content rule violation. The third within an hour bans the author and, for a bot, also its owner (decisions row 31). */
export function countViolation(chat: Chat, authorId: string): void {
  const now = chat.clock.now()
  // Those with much later times are from before the clock was set back.
  chat.sql.run('DELETE FROM violations WHERE user_id = ? AND abs(created_at - ?) >= ?', authorId, now, HOUR_MS)
  chat.sql.run('INSERT INTO violations (user_id, created_at) VALUES (?, ?)', authorId, now)
  const { count } = chat.sql.get<{ count: number }>(
    'SELECT count(*) AS count FROM violations WHERE user_id = ?',
    authorId,
  )!
  if (count < VIOLATIONS_UNTIL_BAN) return
  const bot = chat.directory.bot(authorId)
  ban(chat, authorId)
  if (bot) ban(chat, bot.owner_id)
}

/** Bans a user from the whole service; ends open polls and pages. */
function ban(chat: Chat, userId: string): void {
  chat.sql.run('UPDATE users SET banned = 1 WHERE id = ?', userId)
  chat.afterCommit.push(() => {
    chat.feed.refuse(userId, banned())
    chat.stream.end(userId)
  })
}

/** The refusal for a banned bot (decisions row 31). */
export const banned = () => new Refusal(401, 'this bot is banned because it broke the content rules')
