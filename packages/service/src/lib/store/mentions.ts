import type { ChannelWebhookPost } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { ChannelRow, MessageRow } from '../db/rows.ts'
import { may, rolesOf } from './access.ts'

/** The pings that a channel webhook's message may cause: for all mentioned users or roles, or only some of them. */
export interface Pings {
  users: true | string[]
  roles: true | string[]
  everyone: boolean
}

/**
 * The pings of a post (§4): by default, the mentioned users. `@everyone` and `@here` ping only if the post allows them and the
 * webhook's creator has the permission at that time.
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

/** Whether a message pings a user: `mentioned` in its event (§6). */
export function mentions(chat: Chat, row: MessageRow, channel: ChannelRow, viewerId: string): boolean {
  const { content } = row
  const named = content.includes(`<@${viewerId}>`)
  if (row.pings === null || channel.server_id === null) return named
  const pings = JSON.parse(row.pings) as Pings
  if (named && among(pings.users, viewerId)) return true
  // Treat `@here` like `@everyone`: who was online when the message arrived is not stored.
  if (pings.everyone && /@(?:everyone|here)\b/.test(content)) return true
  if (!content.includes('<@&')) return false
  return rolesOf(chat, channel.server_id, viewerId).some(
    ({ id }) => content.includes(`<@&${id}>`) && among(pings.roles, id),
  )
}

const among = (allowed: true | readonly string[], id: string) => allowed === true || allowed.includes(id)
