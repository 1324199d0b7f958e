import type { ChannelWebhookPost } from '@botwright/protocol'
import { BoundedMap } from '@botwright/protocol/facts'
import type { Chat } from '../chat.ts'
import type { ChannelRow, MessageRow } from '../db/rows.ts'
import { type Mentions, mentionsIn } from '../markdown/read.ts'
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
    users: parse.includes('users') || (allowed.users ?? []),
    roles: parse.includes('roles') || (allowed.roles ?? []),
    everyone: parse.includes('everyone') && may(chat, by.serverId, by.creatorId, 'mention_everyone'),
  }
}

const none: Mentions = { users: new Set(), roles: new Set(), everyone: false }
/** The mentions of the last texts: one message is asked about for each person and bot that sees it. */
const known = new BoundedMap<string, Mentions>(1000)

function mentionsOf(content: string): Mentions {
  if (!content.includes('@')) return none
  let found = known.get(content)
  if (found === undefined) known.set(content, (found = mentionsIn(content)))
  return found
}

/** Whether a message pings a user: `mentioned` in its event (§6). */
export function mentions(chat: Chat, row: MessageRow, channel: ChannelRow, viewerId: string): boolean {
  const { users, roles, everyone } = mentionsOf(row.content)
  const named = users.has(viewerId)
  if (row.pings === null || channel.server_id === null) return named
  const pings = JSON.parse(row.pings) as Pings
  if (named && among(pings.users, viewerId)) return true
  if (pings.everyone && everyone) return true
  if (roles.size === 0) return false
  return rolesOf(chat, channel.server_id, viewerId).some(({ id }) => roles.has(id) && among(pings.roles, id))
}

const among = (allowed: true | readonly string[], id: string) => allowed === true || allowed.includes(id)
