import type { Permission } from '@botwright/protocol'
import { categories } from '../bot-routes/channels.ts'
import type { Chat } from '../chat.ts'
import type { RoleRow, ServerRow, UserRow } from '../db/rows.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { notFound, Refusal } from '../refusal.ts'
import { checkContent } from '../rules/content-rules.ts'
import { findServer, topPosition, may } from '../store/access.ts'
import { visibleChannels } from '../store/channels.ts'
import { rolesOfServer, roleView, serverView } from '../store/servers.ts'
import { notifyServer } from '../store/notify.ts'
import { leaveUnseenVoiceOf } from '../store/voice.ts'

/** Makes every open page of the server reload it. */
function notifyChanged(chat: Chat, server: ServerRow): void {
  const changed = serverView(chat, findServer(chat, server.id)!)
  notifyServer(chat, server.id, 'server_update', { channel_id: null, server_id: server.id, server: changed })
}

/** Requires a role that the actor may change: below their highest role (decisions row 36). */
function requireRole(chat: Chat, server: ServerRow, actor: UserRow, id: string): RoleRow {
  const role = chat.sql.get<RoleRow>('SELECT * FROM roles WHERE id = ? AND server_id = ?', id, server.id)
  if (!role) throw notFound('role')
  if (role.position >= topPosition(chat, server.id, actor.id)) {
    throw new Refusal(403, 'not allowed: you can change only roles below your own highest role')
  }
  return role
}

/** Refuses added permissions that the actor does not have. */
function requireOwnPermissions(chat: Chat, server: ServerRow, actor: UserRow, added: readonly Permission[]): void {
  const missing = added.find((permission) => !may(chat, server.id, actor.id, permission))
  if (missing) throw new Refusal(403, `permissions: not allowed: you do not have the permission ${missing} yourself`)
}

const accessOf = (chat: Chat, channelId: string, kind: 'see' | 'post'): string[] =>
  chat.sql
    .all<{ role_id: string }>('SELECT role_id FROM channel_roles WHERE channel_id = ? AND may = ?', channelId, kind)
    .map((row) => row.role_id)

const membersWithAccess = (chat: Chat, channelId: string): string[] =>
  chat.sql
    .all<{ user_id: string }>('SELECT user_id FROM channel_users WHERE channel_id = ?', channelId)
    .map((row) => row.user_id)

/** Orders the listed ids among themselves. The others keep their places: the person may not see all of them. */
function arrange(
  chat: Chat,
  table: 'channels' | 'categories',
  serverId: string,
  { ids, field }: { ids: readonly string[]; field: string },
): void {
  const all = chat.sql
    .all<{ id: string }>(`SELECT id FROM ${table} WHERE server_id = ? ORDER BY position, rowid`, serverId)
    .map((row) => row.id)
  const unknown = ids.findIndex((id) => !all.includes(id))
  if (unknown !== -1) throw new Refusal(400, `${field}[${unknown}]: this server has no item with this id`)
  const listed = new Set(ids)
  const next = listed.values()
  const ordered = all.map((id) => (listed.has(id) ? next.next().value! : id))
  ordered.forEach((id, position) => chat.sql.run(`UPDATE ${table} SET position = ? WHERE id = ?`, position, id))
}

/**
 * Gives the roles of a server positions in this order, from the lowest. Roles in one list share a position. Positions grow only as far as
 * necessary, so that each list has its own.
 */
function placeRoles(chat: Chat, levels: readonly (readonly RoleRow[])[]): void {
  const positions = levels.flatMap((level) => level.map(({ position }) => position)).sort((a, b) => a - b)
  let index = 0
  let last = 0
  for (const level of levels) {
    last = Math.max(positions[index]!, last + 1)
    index += level.length
    for (const { id } of level) chat.sql.run('UPDATE roles SET position = ? WHERE id = ?', last, id)
  }
}

export const settings: Handlers<PeopleEndpoints>['settings'] = {
  get({ chat, actor, server }) {
    const flags = JSON.parse(server.flags) as Record<string, boolean | undefined>
    return {
      // On unless the world turns them off (decisions row 47).
      flags: { bot_voice: flags['bot_voice'] !== false, channel_webhooks: flags['channel_webhooks'] !== false },
      access: visibleChannels(chat, server.id, actor.id).map(({ id }) => ({
        channel_id: id,
        role_ids: accessOf(chat, id, 'see'),
        post_role_ids: accessOf(chat, id, 'post'),
        member_ids: membersWithAccess(chat, id),
      })),
    }
  },
  rename({ chat, actor, server, body }) {
    checkContent(chat, actor, { name: body.name })
    chat.sql.run('UPDATE servers SET name = ? WHERE id = ?', body.name, server.id)
    notifyChanged(chat, server)
    return { server: serverView(chat, findServer(chat, server.id)!) }
  },
  updateRole({ chat, actor, server, params, body }) {
    const role = requireRole(chat, server, actor, params.role_id)
    checkContent(chat, actor, { name: body.name })
    const had = JSON.parse(role.permissions) as string[]
    const added = (body.permissions ?? []).filter((permission) => !had.includes(permission))
    requireOwnPermissions(chat, server, actor, added)
    if ((body.position ?? 0) >= topPosition(chat, server.id, actor.id)) {
      throw new Refusal(403, 'position: not allowed: must be below your own highest role')
    }
    chat.sql.run(
      'UPDATE roles SET name = ?, permissions = ?, color = ?, position = ? WHERE id = ?',
      body.name ?? role.name,
      body.permissions ? JSON.stringify(body.permissions) : role.permissions,
      body.color === undefined ? role.color : body.color,
      body.position ?? role.position,
      role.id,
    )
    notifyChanged(chat, server)
    return { role: roleView(chat.sql.get<RoleRow>('SELECT * FROM roles WHERE id = ?', role.id)!) }
  },
  deleteRole({ chat, actor, server, params }) {
    chat.sql.run('DELETE FROM roles WHERE id = ?', requireRole(chat, server, actor, params.role_id).id)
    leaveUnseenVoiceOf(chat, server.id)
    notifyChanged(chat, server)
    return ok
  },
  orderRoles({ chat, actor, server, body }) {
    const top = topPosition(chat, server.id, actor.id)
    const all = rolesOfServer(chat, server.id)
    const own = new Map(all.filter(({ position }) => position < top).map((role) => [role.id, role]))
    const ids = [...new Set(body.role_ids)]
    const foreign = body.role_ids.findIndex((id) => !own.has(id))
    if (foreign !== -1) {
      throw new Refusal(403, `role_ids[${foreign}]: not allowed: only roles below your own highest role can be moved`)
    }
    if (ids.length < own.size) throw new Refusal(400, 'role_ids: must contain all roles below your own highest role')
    const higher = [...new Set(all.map(({ position }) => position))].filter((position) => position >= top)
    const levels = higher.map((level) => all.filter(({ position }) => position === level))
    placeRoles(chat, [...ids.map((id) => [own.get(id)!]), ...levels])
    notifyChanged(chat, server)
    return { roles: rolesOfServer(chat, server.id).map(roleView) }
  },
  order({ chat, server, body }) {
    if (body.category_ids) {
      arrange(chat, 'categories', server.id, { ids: body.category_ids, field: 'category_ids' })
    }
    if (body.channel_ids) arrange(chat, 'channels', server.id, { ids: body.channel_ids, field: 'channel_ids' })
    notifyChanged(chat, server)
    return ok
  },
  updateCategory(call) {
    const done = categories.update(call)
    notifyChanged(call.chat, call.server)
    return done
  },
  deleteCategory(call) {
    const done = categories.delete(call)
    notifyChanged(call.chat, call.server)
    return done
  },
}
