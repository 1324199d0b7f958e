import { endpoint, Name, Ok, Server } from '@botwright/protocol'
import { z } from 'zod'
import { ServerView } from '../people-resources.ts'
import { spec } from './spec.ts'

export const servers = {
  /** Every server there is: signing in is choosing a name, so the page offers them all to join. */
  list: endpoint({
    method: 'GET',
    path: '/servers',
    spec,
    summary: 'All servers; `member` says whether the person is in it',
    response: z.object({ servers: z.array(Server.extend({ member: z.boolean() })) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/servers',
    spec,
    summary: 'Makes a server with the channel #general',
    body: z.object({ name: Name }),
    response: z.object({ server: Server }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/servers/{server_id}',
    spec,
    summary: 'A server with everything that the page shows of it',
    response: ServerView,
  }),
  join: endpoint({ method: 'PUT', path: '/servers/{server_id}/members/me', spec, summary: 'Joins', response: Ok }),
  leave: endpoint({ method: 'DELETE', path: '/servers/{server_id}/members/me', spec, summary: 'Leaves', response: Ok }),
  addBot: endpoint({
    method: 'PUT',
    path: '/servers/{server_id}/bots/{bot_id}',
    spec,
    summary: "Adds a bot: approved, or the owner's own",
    response: Ok,
    permission: 'manage_server',
  }),
  removeBot: endpoint({
    method: 'DELETE',
    path: '/servers/{server_id}/bots/{bot_id}',
    spec,
    summary: 'Removes a bot',
    response: Ok,
    permission: 'manage_server',
  }),
} as const
