// One entry per endpoint (§4). The client, the service's routes, the OpenAPI document and the docs are derived from these tables.

import * as z from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, QueryInteger, received, Time } from '../schemas/fields.ts'
import { limits } from '../limits.ts'
import { Callback, ChannelWebhookPost, MessageCreate, MessageEdit } from '../schemas/messages.ts'
import { Author, ChannelWebhook, Message, Ok, PublicProfile, Reaction } from '../schemas/resources.ts'

const spec = '4/Messages'
const { messages_page, bulk_delete } = limits
const onePath = '/channels/{channel_id}/messages/{message_id}'
const bare = { key: 'message', here: 'bare' } as const

export const messages = {
  list: endpoint({
    method: 'GET',
    path: '/channels/{channel_id}/messages',
    spec,
    summary: 'List messages, oldest first; `after` reads forward from a time',
    query: z.object({
      limit: QueryInteger(messages_page.min, messages_page.max).default(messages_page.default),
      before: Time.optional(),
      after: Time.optional(),
    }),
    response: received({ messages: z.array(Message), authors: z.array(Author) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/channels/{channel_id}/messages',
    spec,
    summary: 'Post a message',
    body: MessageCreate,
    response: Message,
    limits: ['messages'],
    variant: bare,
  }),
  get: endpoint({ method: 'GET', path: onePath, spec, summary: 'Get a message', response: Message, variant: bare }),
  update: endpoint({
    method: 'PATCH',
    path: onePath,
    spec,
    summary: "Edit the bot's own message",
    body: MessageEdit,
    response: Message,
    limits: ['message_edits', 'edits'],
    variant: bare,
  }),
  delete: endpoint({
    method: 'DELETE',
    path: onePath,
    spec,
    summary: 'Delete a message',
    response: Ok,
    permission: 'manage_messages',
    permissionFor: 'others',
  }),
  bulkDelete: endpoint({
    method: 'POST',
    path: '/channels/{channel_id}/messages/bulk-delete',
    spec,
    summary: 'Delete up to 100 messages',
    body: z.object({ ids: z.array(Id).max(bulk_delete.ids, { error: `must be at most ${bulk_delete.ids} ids` }) }),
    response: received({ deleted: z.array(Id), skipped: z.array(Id) }),
    permission: 'manage_messages',
    permissionFor: 'others',
  }),
  pin: endpoint({
    method: 'PUT',
    path: `${onePath}/pin`,
    spec,
    summary: 'Pin a message',
    response: Ok,
    permission: 'manage_messages',
  }),
  unpin: endpoint({
    method: 'DELETE',
    path: `${onePath}/pin`,
    spec,
    summary: 'Unpin a message',
    response: Ok,
    permission: 'manage_messages',
  }),
} as const

const reactionPath = `${onePath}/reactions/{emoji}` as const

export const reactions = {
  list: endpoint({
    method: 'GET',
    path: `${onePath}/reactions`,
    spec,
    summary: 'List the reactions on a message',
    response: received({ reactions: z.array(Reaction) }),
  }),
  add: endpoint({
    method: 'PUT',
    path: reactionPath,
    spec,
    summary: 'Add a reaction',
    response: Ok,
    limits: ['reactions'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: reactionPath,
    spec,
    summary: "Remove the caller's reaction",
    response: Ok,
    limits: ['reactions'],
  }),
} as const

export const interactions = {
  callback: endpoint({
    method: 'POST',
    path: '/interactions/{interaction_id}/{token}/callback',
    spec,
    summary: 'Answer a click',
    body: Callback,
    response: Ok.extend({ message: Message.optional() }),
    auth: 'path_token',
  }),
} as const

export const users = {
  get: endpoint({
    method: 'GET',
    path: '/users/{user_id}',
    spec: '4/Users',
    summary: "Get a user's public profile",
    response: PublicProfile,
    variant: { key: 'user', here: 'bare' },
  }),
  dm: endpoint({
    method: 'POST',
    path: '/users/{user_id}/dm',
    spec: '4/Users',
    summary: 'Open the direct message channel with a person, or get the existing one',
    response: received({ channel_id: Id }),
    repeatable: true,
  }),
} as const

const webhookSpec = '4/Channel webhooks'
const webhookPath = '/{webhook_id}/{webhook_token}'

/** Channel webhooks have their own base URL, `{webhook_url}` (§4). */
export const channelWebhooks = {
  execute: endpoint({
    method: 'POST',
    path: webhookPath,
    spec: webhookSpec,
    summary: 'Post to the channel; returns 204, or 200 with the message if `wait=true`',
    query: z.object({ wait: z.enum(['true', 'false']).optional() }),
    body: ChannelWebhookPost,
    response: Message.optional(),
    status: 204,
    auth: 'path_token',
    limits: ['channel_webhook_posts', 'channel_webhook_posts_per_channel'],
    flag: 'channel_webhooks',
  }),
  get: endpoint({
    method: 'GET',
    path: webhookPath,
    spec: webhookSpec,
    summary: 'Get the webhook',
    response: ChannelWebhook,
    auth: 'path_token',
    flag: 'channel_webhooks',
  }),
} as const
