import { permissions } from '@botwright/protocol'
import { requireCapacity } from '../rules/bounds.ts'
import { checkContent } from '../rules/content-rules.ts'
import type { Chat } from '../chat.ts'
import type { ServerRow, UserRow } from '../db/rows.ts'
import { type Handlers, ok } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { isUnlimited } from '../store/posting.ts'
import { notFound, Refusal } from '../refusal.ts'
import { botsOf, findChannel, findMember, topPosition, may } from '../store/access.ts'
import { categoriesOf, categoryView, insertChannel, visibleChannels } from '../store/channels.ts'
import {
  addMember,
  insertServer,
  membersOf,
  peopleMember,
  removeMember,
  rolesOfServer,
  roleView,
  serverBot,
  serverView,
} from '../store/servers.ts'
import { findBot, findUser } from '../store/users.ts'
import { notifyServer } from '../store/notify.ts'
import { voiceStates } from '../store/voice.ts'
import { newId } from '../tokens.ts'

function requireBot(chat: Chat, id: string): UserRow {
  const user = findUser(chat, id)
  if (!user || user.bot === 0) throw notFound('bot')
  return user
}

export const servers: Handlers<PeopleEndpoints>['servers'] = {
  list: ({ chat, actor }) => ({
    servers: chat.sql
      .all<ServerRow>('SELECT * FROM servers ORDER BY created_at, rowid')
      .map((server) => ({ ...serverView(chat, server), member: findMember(chat, server.id, actor.id) !== undefined })),
  }),
  create({ chat, actor, body }) {
    checkContent(chat, actor, { name: body.name })
    requireCapacity(chat, 'servers_per_person', actor.id)
    const server = insertServer(chat, actor, body)
    insertChannel(chat, server.id, { name: 'general' })
    return { server: serverView(chat, server) }
  },
  get({ chat, actor, server }) {
    const channels = visibleChannels(chat, server.id, actor.id)
    return {
      server: serverView(chat, server),
      channels,
      categories: categoriesOf(chat, server.id).map(categoryView),
      members: membersOf(chat, server.id).map((row) => peopleMember(chat, row)),
      roles: rolesOfServer(chat, server.id).map(roleView),
      bots: botsOf(chat, server.id).map(({ botId }) => serverBot(chat, botId)),
      voice: voiceStates(chat, channels),
      unlimited_channel_ids: channels
        .filter(
          ({ id, read_only, slowmode }) =>
            (read_only || slowmode > 0) && isUnlimited(chat, findChannel(chat, id)!, actor.id),
        )
        .map(({ id }) => id),
      permissions: permissions.filter((permission) => may(chat, server.id, actor.id, permission)),
    }
  },
  join({ chat, actor, server }) {
    addMember(chat, server.id, actor)
    return ok
  },
  leave({ chat, actor, server }) {
    if (server.owner_id === actor.id) throw new Refusal(403, 'not allowed: the owner cannot leave the server')
    if (!findMember(chat, server.id, actor.id)) throw notFound('member')
    removeMember(chat, server.id, actor)
    return ok
  },
  addBot({ chat, actor, server, params }) {
    const user = requireBot(chat, params.bot_id)
    const bot = findBot(chat, user.id)!
    if (bot.owner_id !== actor.id && bot.review_state !== 'approved') {
      throw new Refusal(403, 'not allowed: this bot is not approved; only its owner can add it')
    }
    addMember(chat, server.id, user)
    return ok
  },
  removeBot({ chat, server, params }) {
    const user = requireBot(chat, params.bot_id)
    if (!findMember(chat, server.id, user.id)) throw notFound('bot')
    removeMember(chat, server.id, user)
    return ok
  },
}

export const roles: Handlers<PeopleEndpoints>['roles'] = {
  create({ chat, actor, server, body }) {
    checkContent(chat, actor, { name: body.name })
    requireCapacity(chat, 'roles_per_server', server.id)
    const top = rolesOfServer(chat, server.id).at(-1)?.position ?? 0
    const own = topPosition(chat, server.id, actor.id)
    // New roles must be below the actor's highest role (decisions row 36); the default is the highest allowed position.
    const position = body.position ?? Math.min(top + 1, own - 1)
    if (position >= own || position < 1)
      throw new Refusal(403, 'position: not allowed: only roles below your own highest role can be created')
    const missing = body.permissions.find((permission) => !may(chat, server.id, actor.id, permission))
    if (missing) throw new Refusal(403, `permissions: not allowed: you do not have the permission ${missing} yourself`)
    const id = newId()
    chat.sql.run(
      'INSERT INTO roles (id, server_id, name, color, position, permissions) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      server.id,
      body.name,
      body.color,
      position,
      JSON.stringify(body.permissions),
    )
    const role = { id, name: body.name, color: body.color, position, permissions: body.permissions }
    notifyServer(chat, server.id, 'role_create', { server_id: server.id, channel_id: null, role })
    return { role }
  },
}
