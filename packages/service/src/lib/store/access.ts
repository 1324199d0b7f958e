import type { Permission } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { ChannelRow, MemberRow, RoleRow, ServerRow } from '../db/rows.ts'
import { Refusal } from '../refusal.ts'

export const findServer = (chat: Chat, id: string) => chat.sql.get<ServerRow>('SELECT * FROM servers WHERE id = ?', id)
export const findChannel = (chat: Chat, id: string) =>
  chat.sql.get<ChannelRow>('SELECT * FROM channels WHERE id = ?', id)
export const findMember = (chat: Chat, serverId: string, userId: string) =>
  chat.sql.get<MemberRow>('SELECT * FROM members WHERE server_id = ? AND user_id = ?', serverId, userId)

export const rolesOf = (chat: Chat, serverId: string, userId: string): RoleRow[] =>
  chat.sql.all<RoleRow>(
    'SELECT r.* FROM member_roles m JOIN roles r ON r.id = m.role_id WHERE m.server_id = ? AND m.user_id = ? ORDER BY r.position, r.id',
    serverId,
    userId,
  )

/** Whether a server has a feature that only some have (§4; decisions row 47: on, unless the world turns it off). */
export const hasFlag = (server: ServerRow, flag: 'bot_voice' | 'channel_webhooks'): boolean =>
  (JSON.parse(server.flags) as Record<string, boolean>)[flag] !== false

const isOwner = (chat: Chat, serverId: string, userId: string) =>
  chat.sql.get('SELECT 1 FROM servers WHERE id = ? AND owner_id = ?', serverId, userId) !== undefined

/** Whether one of a member's roles has a permission; the owner has all of them. */
export function may(chat: Chat, serverId: string, userId: string, permission: Permission): boolean {
  if (isOwner(chat, serverId, userId)) return true
  return rolesOf(chat, serverId, userId).some((role) => (JSON.parse(role.permissions) as string[]).includes(permission))
}

export function requirePermission(chat: Chat, serverId: string | null, userId: string, permission: Permission): void {
  if (serverId !== null && may(chat, serverId, userId, permission)) return
  throw new Refusal(403, `not allowed: requires a role with the permission ${permission}`)
}

/** The position of a user's highest role in a server (decisions row 36); infinity for the owner. */
export function topPosition(chat: Chat, serverId: string, userId: string): number {
  if (isOwner(chat, serverId, userId)) return Number.POSITIVE_INFINITY
  return rolesOf(chat, serverId, userId).reduce((highest, role) => Math.max(highest, role.position), 0)
}

/** Refuses acting on the owner and on users whose highest role is not below the actor's (decisions row 28). */
export function requireAbove(chat: Chat, serverId: string, actorId: string, targetId: string): void {
  if (isOwner(chat, serverId, targetId)) throw new Refusal(403, 'not allowed: the target is the owner of the server')
  if (topPosition(chat, serverId, actorId) <= topPosition(chat, serverId, targetId)) {
    throw new Refusal(403, 'not allowed: requires a role above the highest role of the target')
  }
}

/** Whether a user can see a channel: both users of a DM, members of the server, or, in private channels, those with access. */
export function canSee(chat: Chat, channel: ChannelRow, userId: string): boolean {
  const isListed = () =>
    chat.sql.get('SELECT 1 FROM channel_users WHERE channel_id = ? AND user_id = ?', channel.id, userId) !== undefined
  if (channel.server_id === null) return isListed()
  if (findMember(chat, channel.server_id, userId) === undefined) return false
  if (channel.private === 0 || isOwner(chat, channel.server_id, userId)) return true
  return hasChannelRole(chat, channel, userId, 'see') || isListed()
}

/** Whether one of a user's roles has access to a private channel (`see`), or may post in a read-only one (`post`). */
export const hasChannelRole = (chat: Chat, channel: ChannelRow, userId: string, may: 'see' | 'post'): boolean =>
  chat.sql.get(
    `SELECT 1 FROM channel_roles c JOIN member_roles m ON m.role_id = c.role_id
      WHERE c.channel_id = ? AND m.user_id = ? AND c.may = ? LIMIT 1`,
    channel.id,
    userId,
    may,
  ) !== undefined

/** The bots that can see a channel. */
export function botsIn(chat: Chat, channel: ChannelRow): { user_id: string; commands: string }[] {
  const place = channel.server_id === null ? 'channel_users p' : 'members p'
  const key = channel.server_id === null ? 'p.channel_id' : 'p.server_id'
  const bots = chat.sql.all<{ user_id: string; commands: string }>(
    `SELECT b.user_id, b.commands FROM ${place} JOIN bots b ON b.user_id = p.user_id WHERE ${key} = ? ORDER BY b.user_id`,
    channel.server_id ?? channel.id,
  )
  return channel.private === 0 ? bots : bots.filter((bot) => canSee(chat, channel, bot.user_id))
}

/** The bots of a server. */
export const botsOf = (chat: Chat, serverId: string): string[] =>
  chat.sql
    .all<{ id: string }>(
      'SELECT b.user_id AS id FROM members m JOIN bots b ON b.user_id = m.user_id WHERE m.server_id = ? ORDER BY 1',
      serverId,
    )
    .map((row) => row.id)
