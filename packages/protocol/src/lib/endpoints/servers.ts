import * as z from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, Name, QueryInteger, received } from '../schemas/fields.ts'
import { limits } from '../limits.ts'
import { Category, Channel, ChannelType, Member, MemberDetail, Ok, Role, Server } from '../schemas/resources.ts'

const spec = '4/Servers'
const channelsSpec = '4/Channels and categories'

export const servers = {
  list: endpoint({
    method: 'GET',
    path: '/servers',
    spec,
    summary: 'List the servers that the bot is in',
    response: received({ servers: z.array(Server) }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/servers/{server_id}',
    spec,
    summary: 'Get a server',
    response: received({ server: Server }),
  }),
  roles: endpoint({
    method: 'GET',
    path: '/servers/{server_id}/roles',
    spec,
    summary: "List a server's roles",
    response: received({ roles: z.array(Role) }),
  }),
} as const

const { members_page } = limits

export const members = {
  list: endpoint({
    method: 'GET',
    path: '/servers/{server_id}/members',
    spec,
    summary: 'List a page of members, sorted by user id',
    query: z.object({
      limit: QueryInteger(members_page.min, members_page.max).default(members_page.default),
      after: Id.optional(),
    }),
    response: received({ members: z.array(Member) }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/servers/{server_id}/members/{user_id}',
    spec,
    summary: 'Get a member with roles, nickname and timeout',
    response: received({ member: MemberDetail }),
  }),
} as const

const type = z.object({ type: ChannelType.optional() })
const one = received({ channel: Channel })

export const channels = {
  listOfServer: endpoint({
    method: 'GET',
    path: '/servers/{server_id}/channels',
    spec: channelsSpec,
    summary: "List a server's channels and categories in sidebar order",
    query: type,
    response: received({ channels: z.array(Channel), categories: z.array(Category) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/channels',
    spec: channelsSpec,
    summary: 'Create a channel',
    body: z.object({ name: Name, kind: ChannelType.optional(), category_id: Id.nullable().optional() }),
    response: one,
    permission: 'manage_channels',
    limits: ['new_channels'],
  }),
  list: endpoint({
    method: 'GET',
    path: '/channels',
    spec: channelsSpec,
    summary: 'List the channels of all servers that the bot is in',
    query: type,
    response: received({ channels: z.array(Channel) }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/channels/{channel_id}',
    spec: channelsSpec,
    summary: 'Get a channel',
    response: one,
    variant: { key: 'channel', here: 'wrapped' },
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/channels/{channel_id}',
    spec: channelsSpec,
    summary: 'Update a channel',
    body: z.object({
      name: Name.optional(),
      category_id: Id.nullable().optional(),
      private: z.boolean().optional(),
      role_ids: z.array(Id).optional(),
      read_only: z.boolean().optional(),
      post_role_ids: z.array(Id).optional(),
      slowmode: z
        .int()
        .min(0)
        .max(limits.channel_slowmode.seconds, { error: `must be at most ${limits.channel_slowmode.seconds} seconds` })
        .optional(),
    }),
    response: one,
    permission: 'manage_channels',
    limits: ['channel_edits'],
    variant: { key: 'channel', here: 'wrapped' },
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/channels/{channel_id}',
    spec: channelsSpec,
    summary: 'Delete a channel',
    response: Ok,
    permission: 'manage_channels',
  }),
} as const

export const categories = {
  create: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/categories',
    spec: channelsSpec,
    summary: 'Create a category',
    body: z.object({ name: Name }),
    response: received({ category: Category }),
    permission: 'manage_channels',
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/servers/{server_id}/categories/{category_id}',
    spec: channelsSpec,
    summary: 'Rename a category',
    body: z.object({ name: Name.optional() }),
    response: Ok,
    permission: 'manage_channels',
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/servers/{server_id}/categories/{category_id}',
    spec: channelsSpec,
    summary: 'Delete a category',
    response: Ok,
    permission: 'manage_channels',
  }),
} as const
