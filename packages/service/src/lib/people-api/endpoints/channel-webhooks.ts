import { endpoint, limits, Link, nameText, Ok } from '@botwright/protocol'
import * as z from 'zod'
import { OwnedChannelWebhook } from '../resources.ts'
import { spec } from '../spec.ts'

const path = '/channels/{channel_id}/webhooks'
const permission = 'manage_webhooks'
const flag = 'channel_webhooks'
const withUrl = z.object({ webhook: OwnedChannelWebhook, url: z.string() })

/** Management of channel webhooks by people. Programs post to the webhook's own URL (§4, Channel webhooks). */
export const channelWebhooks = {
  create: endpoint({
    method: 'POST',
    path,
    spec,
    summary: 'Create a channel webhook; returns its URL, which is shown only once',
    body: z.object({
      name: nameText(limits.channel_webhook_username.characters),
      avatar_url: Link.nullable().optional(),
    }),
    response: withUrl,
    permission,
    flag,
  }),
  list: endpoint({
    method: 'GET',
    path,
    spec,
    summary: 'List the webhooks of a channel',
    response: z.object({ webhooks: z.array(OwnedChannelWebhook) }),
    permission,
    flag,
  }),
  newUrl: endpoint({
    method: 'POST',
    path: '/webhooks/{webhook_id}/url',
    spec,
    summary: 'Generate a new URL for a channel webhook; the old one stops working right away',
    response: withUrl,
    permission,
    flag,
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/webhooks/{webhook_id}',
    spec,
    summary: 'Delete a channel webhook; its messages stay',
    response: Ok,
    permission,
    flag,
  }),
} as const
