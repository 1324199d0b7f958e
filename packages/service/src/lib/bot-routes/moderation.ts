import type { Endpoints } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import { iso, isoOrNull } from '../iso-time.ts'
import type { UserRow } from '../db/rows.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import { notFound, Refusal } from '../refusal.ts'
import { checkContent } from '../rules/content-rules.ts'
import { findMember, topPosition, requireAbove } from '../store/access.ts'
import { removeMember, notifyMember } from '../store/servers.ts'
import { changeMemberVisibility } from '../store/visibility.ts'
import { findUser, requireAccount } from '../store/users.ts'

/** The target member of a call; the actor's highest role must be above the target's (decisions row 28). */
function target(chat: Chat, serverId: string, actor: UserRow, userId: string): UserRow {
  const user = findUser(chat, userId)
  if (!user || !findMember(chat, serverId, userId)) throw notFound('member')
  requireAbove(chat, serverId, actor.id, userId)
  return user
}

/** Requires a role that the actor may assign: below its own highest role (decisions row 36). */
function requireRole(chat: Chat, serverId: string, actor: UserRow, roleId: string): void {
  const role = chat.sql.get<{ position: number }>(
    'SELECT position FROM roles WHERE id = ? AND server_id = ?',
    roleId,
    serverId,
  )
  if (!role) throw notFound('role')
  if (role.position >= topPosition(chat, serverId, actor.id)) {
    throw new Refusal(403, 'not allowed: only roles below your own highest role can be added or removed')
  }
}

export const moderation: Handlers<Endpoints>['moderation'] = {
  setNickname({ chat, actor, server, params, body }) {
    if (params.user_id !== actor.id) target(chat, server.id, actor, params.user_id)
    checkContent(chat, actor, { nickname: body.nickname })
    chat.sql.run(
      'UPDATE members SET nickname = ? WHERE server_id = ? AND user_id = ?',
      body.nickname === '' ? null : body.nickname,
      server.id,
      params.user_id,
    )
    notifyMember(chat, server.id, params.user_id)
    return ok
  },
  addRole({ chat, actor, server, params }) {
    if (params.user_id !== actor.id) target(chat, server.id, actor, params.user_id)
    requireRole(chat, server.id, actor, params.role_id)
    const { user_id, role_id } = params
    changeMemberVisibility(chat, server.id, user_id, () => {
      chat.sql.run('INSERT OR IGNORE INTO member_roles VALUES (?, ?, ?)', server.id, user_id, role_id)
    })
    return ok
  },
  removeRole({ chat, actor, server, params }) {
    if (params.user_id !== actor.id) target(chat, server.id, actor, params.user_id)
    requireRole(chat, server.id, actor, params.role_id)
    const { user_id, role_id } = params
    changeMemberVisibility(chat, server.id, user_id, () => {
      chat.sql.run('DELETE FROM member_roles WHERE user_id = ? AND role_id = ?', user_id, role_id)
    })
    return ok
  },
  kick({ chat, actor, server, body }) {
    removeMember(chat, server.id, target(chat, server.id, actor, body.user_id))
    return ok
  },
  bans: ({ chat, server }) => ({
    bans: chat.sql
      .all<{ user_id: string; username: string; reason: string | null; created_at: number }>(
        'SELECT b.*, u.username FROM bans b JOIN users u ON u.id = b.user_id WHERE b.server_id = ? ORDER BY b.created_at',
        server.id,
      )
      .map((ban) => ({
        user_id: ban.user_id,
        username: ban.username,
        reason: ban.reason,
        created_at: iso(ban.created_at),
      })),
  }),
  ban({ chat, actor, server, body }) {
    const user = requireAccount(chat, body.user_id)
    requireAbove(chat, server.id, actor.id, user.id)
    checkContent(chat, actor, { reason: body.reason })
    if (findMember(chat, server.id, user.id)) removeMember(chat, server.id, user)
    chat.sql.run(
      'INSERT OR REPLACE INTO bans (server_id, user_id, reason, created_at) VALUES (?, ?, ?, ?)',
      server.id,
      user.id,
      body.reason ?? null,
      chat.clock.now(),
    )
    return ok
  },
  unban({ chat, server, params }) {
    const { changes } = chat.sql.run('DELETE FROM bans WHERE server_id = ? AND user_id = ?', server.id, params.user_id)
    if (changes === 0) throw notFound('ban')
    return ok
  },
  timeout({ chat, actor, server, body }) {
    const user = target(chat, server.id, actor, body.user_id)
    checkContent(chat, actor, { reason: body.reason })
    const until = body.minutes === 0 ? null : chat.clock.now() + body.minutes * 60_000
    if (until === null) chat.sql.run('DELETE FROM timeouts WHERE server_id = ? AND user_id = ?', server.id, user.id)
    else {
      chat.sql.run(
        'INSERT OR REPLACE INTO timeouts (server_id, user_id, until) VALUES (?, ?, ?)',
        server.id,
        user.id,
        until,
      )
    }
    notifyMember(chat, server.id, user.id)
    return { ...ok, timeout_until: isoOrNull(until) }
  },
}
