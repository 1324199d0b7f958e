import type { Chat } from '../chat.ts'
import { checkContent } from '../rules/content-rules.ts'
import type { BotRow, UserRow } from '../db/rows.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import { iso, isoOrNull } from '../iso-time.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import type { ListedBot, Submission } from '../people-api/resources.ts'
import { notFound, Refusal } from '../refusal.ts'
import { authorView, findBot, findUser } from '../store/users.ts'
import { newId } from '../tokens.ts'

interface SubmissionRow {
  id: string
  bot_id: string
  description: string
  state: Submission['state']
  reason: string | null
  created_at: number
  decided_at: number | null
}

const ownerOf = (chat: Chat, botId: string): UserRow => findUser(chat, findBot(chat, botId)!.owner_id)!

const submissionView = (chat: Chat, row: SubmissionRow): Submission => ({
  id: row.id,
  bot_id: row.bot_id,
  bot: authorView(findUser(chat, row.bot_id)!),
  owner: authorView(ownerOf(chat, row.bot_id)),
  description: row.description,
  state: row.state,
  reason: row.reason,
  created_at: iso(row.created_at),
  decided_at: isoOrNull(row.decided_at),
})

function requireSubmission(chat: Chat, id: string): SubmissionRow {
  const found = chat.sql.get<SubmissionRow>('SELECT * FROM submissions WHERE id = ?', id)
  if (!found) throw notFound('submission')
  return found
}

/** Sets the review state of a bot. */
function setReview(chat: Chat, botId: string, state: BotRow['review_state'], reason: string | null): void {
  chat.sql.run(
    'UPDATE bots SET review_state = ?, review_reason = ?, public = ? WHERE user_id = ?',
    state,
    reason,
    state === 'approved' ? 1 : 0,
    botId,
  )
}

function close(chat: Chat, id: string, state: Submission['state'], reason: string | null): void {
  chat.sql.run(
    'UPDATE submissions SET state = ?, reason = ?, decided_at = ? WHERE id = ?',
    state,
    reason,
    chat.clock.now(),
    id,
  )
}

/** Publication review (§3): private → submitted → approved, or sent back with a reason, then fixed and submitted again. */
export const submissions: Handlers<PeopleEndpoints>['submissions'] = {
  create({ chat, actor, bot, body }) {
    if (bot.review_state === 'submitted') {
      throw new Refusal(400, 'the bot is already submitted; wait for the decision, or withdraw it first')
    }
    if (bot.review_state === 'approved') throw new Refusal(400, 'the bot is already approved')
    checkContent(chat, actor, { description: body.description })
    const id = newId()
    chat.sql.run(
      'INSERT INTO submissions (id, bot_id, description, created_at) VALUES (?, ?, ?, ?)',
      id,
      bot.user_id,
      body.description,
      chat.clock.now(),
    )
    setReview(chat, bot.user_id, 'submitted', null)
    return { submission: submissionView(chat, requireSubmission(chat, id)) }
  },
  withdraw({ chat, bot }) {
    if (bot.review_state === 'private') throw new Refusal(400, 'the bot is private; there is nothing to withdraw')
    const open = chat.sql.get<SubmissionRow>(
      "SELECT * FROM submissions WHERE bot_id = ? AND state = 'submitted'",
      bot.user_id,
    )
    if (open) close(chat, open.id, 'withdrawn', null)
    setReview(chat, bot.user_id, 'private', null)
    return ok
  },
  listed: ({ chat }) => ({
    bots: chat.sql
      .all<UserRow & { description: string | null }>(
        `SELECT u.*, (SELECT s.description FROM submissions s WHERE s.bot_id = u.id AND s.state = 'approved'
                      ORDER BY s.seq DESC LIMIT 1) AS description
           FROM bots b JOIN users u ON u.id = b.user_id
          WHERE b.review_state = 'approved' AND u.banned = 0 ORDER BY u.username`,
      )
      .map((row): ListedBot => ({
        id: row.id,
        username: row.username,
        display_name: row.display_name,
        bio: row.bio,
        avatar_url: row.avatar_url,
        // Bots approved by a world have no submission; use their bio.
        description: row.description ?? row.bio,
        owner: authorView(ownerOf(chat, row.id)),
      })),
  }),
  list({ chat, query }) {
    const rows = chat.sql.all<SubmissionRow>(
      'SELECT * FROM submissions WHERE ?1 IS NULL OR state = ?1 ORDER BY seq',
      query.state ?? null,
    )
    return { submissions: rows.map((row) => submissionView(chat, row)) }
  },
  decide({ chat, params, body }) {
    const { id, bot_id, state } = requireSubmission(chat, params.submission_id)
    if (state !== 'submitted') throw new Refusal(400, `the submission was already ${state.replace('_', ' ')}`)
    const reason = body.reason?.trim() ? body.reason : null
    const decided = body.approve ? 'approved' : 'sent_back'
    close(chat, id, decided, reason)
    setReview(chat, bot_id, decided, reason)
    return { submission: submissionView(chat, requireSubmission(chat, id)) }
  },
}
