import type { ChannelWebhookPost } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { ChannelRow, MessageRow } from '../db/rows.ts'
import { may, rolesOf } from '../store/access.ts'

/** Whom a channel webhook's message may ping: all that it names, or only some of them. */
export interface Pings {
  users: true | string[]
  roles: true | string[]
  everyone: boolean
}

/**
 * Whom a post pings (§4): left to itself, the users that it names. Everyone and here ping only when the post allows them and the
 * webhook's creator may mention everyone, as it is when the post is made.
 */
export function pingsOf(
  chat: Chat,
  allowed: ChannelWebhookPost['allowed_mentions'],
  by: { serverId: string; creatorId: string },
): Pings {
  if (!allowed) return { users: true, roles: [], everyone: false }
  const parse = allowed.parse ?? []
  return {
    users: parse.includes('users') || lowered(allowed.users),
    roles: parse.includes('roles') || lowered(allowed.roles),
    everyone: parse.includes('everyone') && may(chat, by.serverId, by.creatorId, 'mention_everyone'),
  }
}

const lowered = (ids: readonly string[] | undefined) => (ids ?? []).map((id) => id.toLowerCase())

/** Whether a message pings somebody: `mentioned` of its event (§6). */
export function mentions(chat: Chat, row: MessageRow, channel: ChannelRow, viewerId: string): boolean {
  const { content } = row
  const named = content.includes(`<@${viewerId}>`)
  if (row.pings === null || channel.server_id === null) return named
  const pings = JSON.parse(row.pings) as Pings
  if (named && among(pings.users, viewerId)) return true
  // Here is everyone too: who is online when a message is read says nothing of who was when it came.
  if (pings.everyone && /@(?:everyone|here)\b/.test(content)) return true
  if (!content.includes('<@&')) return false
  return rolesOf(chat, channel.server_id, viewerId).some(
    ({ id }) => content.includes(`<@&${id}>`) && among(pings.roles, id),
  )
}

const among = (allowed: true | readonly string[], id: string) => allowed === true || allowed.includes(id)
