import { endpoint, limits, Link, nameText, Ok } from '@botwright/protocol'
import { z } from 'zod'
import { OwnedChannelWebhook } from '../people-resources.ts'
import { spec } from './spec.ts'

const path = '/channels/{channel_id}/webhooks'
const permission = 'manage_webhooks'
const flag = 'channel_webhooks'
const withUrl = z.object({ webhook: OwnedChannelWebhook, url: z.string() })

/** Channel webhooks as people manage them; programs use them under an address of their own (§4, Channel webhooks). */
export const channelWebhooks = {
  create: endpoint({
    method: 'POST',
    path,
    spec,
    summary: 'Makes a channel webhook; its URL is shown this once',
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
    summary: 'The webhooks of a channel',
    response: z.object({ webhooks: z.array(OwnedChannelWebhook) }),
    permission,
    flag,
  }),
  newUrl: endpoint({
    method: 'POST',
    path: '/webhooks/{webhook_id}/url',
    spec,
    summary: 'A new URL for a channel webhook; the old one dies at once',
    response: withUrl,
    permission,
    flag,
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/webhooks/{webhook_id}',
    spec,
    summary: 'Deletes a channel webhook; what it posted stays',
    response: Ok,
    permission,
    flag,
  }),
} as const
