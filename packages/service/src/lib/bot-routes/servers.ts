import type { Endpoints } from '@botwright/protocol'
import type { Handlers } from '../http/handlers.ts'
import { notFound } from '../refusal.ts'
import {
  memberDetail,
  membersOf,
  memberView,
  oneMember,
  rolesOfServer,
  roleView,
  serversOf,
  serverView,
} from '../store/servers.ts'

export const servers: Handlers<Endpoints>['servers'] = {
  list: ({ chat, actor }) => ({ servers: serversOf(chat, actor.id).map((server) => serverView(chat, server)) }),
  get: ({ chat, server }) => ({ server: serverView(chat, server) }),
  roles: ({ chat, server }) => ({ roles: rolesOfServer(chat, server.id).map(roleView) }),
}

export const members: Handlers<Endpoints>['members'] = {
  list: ({ chat, server, query }) => ({
    members: membersOf(chat, server.id, { limit: query.limit, after: query.after ?? '' }).map((row) =>
      memberView(chat, row),
    ),
  }),
  get({ chat, server, params }) {
    const member = oneMember(chat, server.id, params.user_id)
    if (!member) throw notFound('member')
    return { member: memberDetail(chat, member) }
  },
}
