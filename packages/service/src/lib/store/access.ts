import type { Permission } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { Listener } from '../db/directory.ts'
import type { ChannelRow, ServerRow } from '../db/rows.ts'
import { Refusal } from '../refusal.ts'

export const findServer = (chat: Chat, id: string) => chat.directory.server(id)
export const findChannel = (chat: Chat, id: string) => chat.directory.channel(id)
export const findMember = (chat: Chat, serverId: string, userId: string) => chat.directory.member(serverId, userId)
export const rolesOf = (chat: Chat, serverId: string, userId: string) => chat.directory.roles(serverId, userId)

/** Whether a server has a feature that only some have (§4; decisions row 47: on, unless the world turns it off). */
export const hasFlag = (server: ServerRow, flag: 'bot_voice' | 'channel_webhooks'): boolean =>
  (JSON.parse(server.flags) as Record<string, boolean>)[flag] !== false

const isOwner = (chat: Chat, serverId: string, userId: string) => findServer(chat, serverId)?.owner_id === userId

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

export const canSee = (chat: Chat, channel: ChannelRow, userId: string): boolean =>
  chat.directory.canSee(channel.id, userId)
export const hasChannelRole = (chat: Chat, channel: ChannelRow, userId: string, may: 'see' | 'post'): boolean =>
  chat.directory.hasChannelRole(channel.id, userId, may)

/** The bots that can see a channel. */
export const botsIn = (chat: Chat, channel: ChannelRow): readonly Listener[] => chat.directory.listeners(channel.id)
/** The bots of a server. */
export const botsOf = (chat: Chat, serverId: string) => chat.directory.botsOf(serverId)
