import { limits, type Member, type MemberDetail, type Role, type Server } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import { iso, isoOrNull } from '../iso-time.ts'
import type { MemberRow, RoleRow, ServerRow, UserRow } from '../db/rows.ts'
import { emit } from './emit.ts'
import type { PeopleMember, ServerBot } from '../people-api/resources.ts'
import { Refusal } from '../refusal.ts'
import { newId } from '../tokens.ts'
import { botsOf, findMember, findServer, rolesOf } from './access.ts'
import { notifyServer } from './notify.ts'
import { findBot, findUser } from './users.ts'
import { leaveVoice, voiceChannelOf } from './voice.ts'

/** The number of members, without bots (§1). */
const memberCount = (chat: Chat, serverId: string): number =>
  chat.sql.get<{ count: number }>(
    'SELECT count(*) AS count FROM members m JOIN users u ON u.id = m.user_id WHERE m.server_id = ? AND u.bot = 0',
    serverId,
  )!.count

export const serverView = (chat: Chat, server: ServerRow): Server => ({
  id: server.id,
  name: server.name,
  owner_id: server.owner_id,
  icon_url: server.icon_url,
  member_count: memberCount(chat, server.id),
  created_at: iso(server.created_at),
})

export const serversOf = (chat: Chat, userId: string): ServerRow[] =>
  chat.sql.all<ServerRow>(
    'SELECT s.* FROM members m JOIN servers s ON s.id = m.server_id WHERE m.user_id = ? ORDER BY s.created_at, s.rowid',
    userId,
  )

export const roleView = (role: RoleRow): Role => ({
  id: role.id,
  name: role.name,
  color: role.color,
  position: role.position,
  permissions: JSON.parse(role.permissions) as string[],
})

export const rolesOfServer = (chat: Chat, serverId: string): RoleRow[] =>
  chat.sql.all<RoleRow>('SELECT * FROM roles WHERE server_id = ? ORDER BY position, rowid', serverId)

type MemberAndUser = MemberRow & Pick<UserRow, 'username' | 'display_name' | 'avatar_url' | 'bot'>
const MEMBER = `SELECT m.*, u.username, u.display_name, u.avatar_url, u.bot FROM members m JOIN users u ON u.id = m.user_id`

export const membersOf = (chat: Chat, serverId: string, { after = '', limit = -1 } = {}): MemberAndUser[] =>
  chat.sql.all<MemberAndUser>(
    `${MEMBER} WHERE m.server_id = ? AND m.user_id > ? ORDER BY m.user_id LIMIT ?`,
    serverId,
    after,
    limit,
  )

export const oneMember = (chat: Chat, serverId: string, userId: string) =>
  chat.sql.get<MemberAndUser>(`${MEMBER} WHERE m.server_id = ? AND m.user_id = ?`, serverId, userId)

export const memberView = (chat: Chat, row: MemberAndUser): Member => ({
  user_id: row.user_id,
  username: row.username,
  display_name: row.display_name,
  nickname: row.nickname,
  roles: rolesOf(chat, row.server_id, row.user_id).map((role) => role.id),
  bot: row.bot === 1,
  joined_at: iso(row.joined_at),
})

/** When the timeout of a user in a server ends; null if there is none or it has ended. */
export function timeoutOf(chat: Chat, serverId: string, userId: string): number | null {
  const until = chat.directory.timeoutUntil(serverId, userId)
  return until !== undefined && until > chat.clock.now() ? until : null
}

export const memberDetail = (chat: Chat, row: MemberAndUser): MemberDetail => ({
  ...memberView(chat, row),
  timeout_until: isoOrNull(timeoutOf(chat, row.server_id, row.user_id)),
})

export const peopleMember = (chat: Chat, row: MemberAndUser): PeopleMember => ({
  user_id: row.user_id,
  username: row.username,
  display_name: row.display_name,
  nickname: row.nickname,
  roles: rolesOf(chat, row.server_id, row.user_id).map((role) => role.id),
  bot: row.bot === 1,
  joined_at: iso(row.joined_at),
  avatar_url: row.avatar_url,
  timeout_until: isoOrNull(timeoutOf(chat, row.server_id, row.user_id)),
  presence: chat.presences.of(row.user_id),
})

/** A bot of a server, as pages show it. */
export function serverBot(chat: Chat, id: string): ServerBot {
  const user = findUser(chat, id)!
  const bot = findBot(chat, id)!
  return {
    id,
    username: user.username,
    display_name: user.display_name,
    avatar_url: user.avatar_url,
    owner_id: bot.owner_id,
    presence: chat.presences.of(id),
    commands: JSON.parse(bot.commands) as ServerBot['commands'],
    help: [...(chat.commandHelp.get(id) ?? [])],
  }
}

/** Notifies the pages of a server of a member's new nickname, roles or timeout. */
export function notifyMember(chat: Chat, serverId: string, userId: string): void {
  const member = peopleMember(chat, oneMember(chat, serverId, userId)!)
  notifyServer(chat, serverId, 'member_update', { server_id: serverId, channel_id: null, member })
}

/** Notifies the pages of a server, or of all servers of a bot, of the bot's commands. */
export function notifyBot(chat: Chat, botId: string, serverIds = serversOf(chat, botId).map(({ id }) => id)): void {
  for (const id of serverIds) {
    notifyServer(chat, id, 'bot_update', { server_id: id, channel_id: null, bot: serverBot(chat, botId) })
  }
}

export function insertServer(chat: Chat, owner: UserRow, server: { id?: string; name: string }): ServerRow {
  const id = server.id ?? newId()
  chat.sql.run(
    'INSERT INTO servers (id, name, owner_id, created_at) VALUES (?, ?, ?, ?)',
    id,
    server.name,
    owner.id,
    chat.clock.now(),
  )
  addMember(chat, id, owner)
  return findServer(chat, id)!
}

/** Adds a member without events, such as those that a world begins with; does nothing for existing members. */
export function insertMember(chat: Chat, serverId: string, userId: string): void {
  const now = chat.clock.now()
  chat.sql.run('INSERT OR IGNORE INTO members (server_id, user_id, joined_at) VALUES (?, ?, ?)', serverId, userId, now)
}

/** Adds a member and sends the events; does nothing for existing members. A bot gets no event for its own join. */
export function addMember(chat: Chat, serverId: string, user: UserRow): void {
  if (findMember(chat, serverId, user.id)) return
  if (chat.sql.get('SELECT 1 FROM bans WHERE server_id = ? AND user_id = ?', serverId, user.id)) {
    throw new Refusal(403, 'not allowed: banned from this server')
  }
  const bots = botsOf(chat, serverId)
  if (user.bot === 1 && bots.length >= limits.bots_per_server.max) {
    throw new Refusal(403, `not allowed: a server can have at most ${limits.bots_per_server.max} bots`)
  }
  insertMember(chat, serverId, user.id)
  const member_count = memberCount(chat, serverId)
  const joined = {
    server_id: serverId,
    channel_id: null,
    user_id: user.id,
    username: user.username,
    joined_at: iso(findMember(chat, serverId, user.id)!.joined_at),
    member_count,
  }
  emit(chat, 'member_join', joined, bots)
  const member = peopleMember(chat, oneMember(chat, serverId, user.id)!)
  notifyServer(chat, serverId, 'member_join', { server_id: serverId, channel_id: null, member })
  if (user.bot === 1) notifyBot(chat, user.id, [serverId])
}

/** Removes a member (left, kicked, banned) and sends the events. */
export function removeMember(chat: Chat, serverId: string, user: UserRow): void {
  if (voiceChannelOf(chat, user.id)?.server_id === serverId) leaveVoice(chat, user.id)
  notifyServer(chat, serverId, 'member_leave', { server_id: serverId, channel_id: null, user_id: user.id })
  chat.sql.run('DELETE FROM members WHERE server_id = ? AND user_id = ?', serverId, user.id)
  // Access to private channels does not survive leaving the server.
  chat.sql.run(
    'DELETE FROM channel_users WHERE user_id = ? AND channel_id IN (SELECT id FROM channels WHERE server_id = ?)',
    user.id,
    serverId,
  )
  const member_count = memberCount(chat, serverId)
  const left = {
    server_id: serverId,
    channel_id: null,
    user_id: user.id,
    username: user.username,
    member_count,
  }
  emit(chat, 'member_leave', left, botsOf(chat, serverId))
}
