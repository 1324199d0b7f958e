import { endpoint, Name, Ok, Server } from '@botwright/protocol'
import * as z from 'zod'
import { ServerView } from '../resources.ts'
import { spec } from '../spec.ts'

export const servers = {
  /** Lists all servers, because people can join any of them. */
  list: endpoint({
    method: 'GET',
    path: '/servers',
    spec,
    summary: 'List all servers; `member` is true for those that the person is in',
    response: z.object({ servers: z.array(Server.extend({ member: z.boolean() })) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/servers',
    spec,
    summary: 'Create a server with the channel #general',
    body: z.object({ name: Name }),
    response: z.object({ server: Server }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/servers/{server_id}',
    spec,
    summary: 'Get a server with its channels, members, roles and bots',
    response: ServerView,
  }),
  join: endpoint({
    method: 'PUT',
    path: '/servers/{server_id}/members/me',
    spec,
    summary: 'Join a server',
    response: Ok,
    access: 'anyone',
  }),
  leave: endpoint({
    method: 'DELETE',
    path: '/servers/{server_id}/members/me',
    spec,
    summary: 'Leave a server',
    response: Ok,
    access: 'anyone',
  }),
  addBot: endpoint({
    method: 'PUT',
    path: '/servers/{server_id}/bots/{bot_id}',
    spec,
    summary: "Add a bot: an approved one, or one of the person's own",
    response: Ok,
    permission: 'manage_server',
  }),
  removeBot: endpoint({
    method: 'DELETE',
    path: '/servers/{server_id}/bots/{bot_id}',
    spec,
    summary: 'Remove a bot',
    response: Ok,
    permission: 'manage_server',
  }),
} as const
