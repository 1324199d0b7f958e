import type { Context } from 'hono'
import type { Chat } from '../chat.ts'
import type { InteractionRow, UserRow } from '../db/rows.ts'
import { notFound, Refusal } from '../refusal.ts'
import { hashToken } from '../tokens.ts'
import { banned } from '../rules/violations.ts'

const tokenIn = (context: Context, scheme: 'Bot' | 'Person'): string => {
  const header = context.req.header('authorization')
  const hint = `send "Authorization: ${scheme} <token>"`
  if (header === undefined) throw new Refusal(401, `missing token: ${hint}`)
  const [, found, token] = /^(\S+) +(\S+)$/.exec(header) ?? []
  if (found === undefined || token === undefined || found.toLowerCase() !== scheme.toLowerCase()) {
    throw new Refusal(401, `wrong Authorization header: ${hint}`)
  }
  return token
}

/** The bot that calls (§5); 401 for a missing or wrong token and for a banned bot. */
export function identifyBot(chat: Chat, context: Context): UserRow {
  const found = chat.directory.botByToken(hashToken(tokenIn(context, 'Bot')))
  if (!found) throw new Refusal(401, 'wrong token')
  if (found.banned === 1) throw banned()
  return found
}

/** The bot that answers a click, by the token in the path (§5.7), and the click. */
export function identifyByClick(
  chat: Chat,
  id: string,
  token: string,
): { actor: UserRow; interaction: InteractionRow } {
  const interaction = chat.sql.get<InteractionRow>('SELECT * FROM interactions WHERE id = ?', id)
  if (!interaction || interaction.token_hash !== hashToken(token)) throw notFound('interaction')
  const actor = chat.directory.user(interaction.bot_id)!
  if (actor.banned === 1) throw new Refusal(403, 'not allowed: this bot is banned')
  return { actor, interaction }
}

/** The person who calls; 403 for a banned one (decisions row 31). */
export const identifyPerson = (chat: Chat, context: Context): UserRow =>
  identifyPersonByToken(chat, tokenIn(context, 'Person'))

export function identifyPersonByToken(chat: Chat, token: string): UserRow {
  const found = chat.directory.personByToken(hashToken(token))
  if (!found) throw new Refusal(401, 'wrong token')
  if (found.banned === 1) throw new Refusal(403, 'not allowed: this person is banned')
  return found
}
