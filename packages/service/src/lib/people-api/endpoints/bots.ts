import { DisplayName, endpoint, endpoints, limits, Ok, ownLimits, text } from '@botwright/protocol'
import * as z from 'zod'
import { OwnedBot } from '../resources.ts'
import { Username } from './sessions.ts'
import { spec } from '../spec.ts'

const access = 'own_bot'

export const bots = {
  list: endpoint({
    method: 'GET',
    path: '/bots',
    spec,
    summary: "List the person's bots",
    response: z.object({ bots: z.array(OwnedBot) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/bots',
    spec,
    summary: 'Create a bot; returns its token, which is shown only once',
    body: z.object({
      username: Username,
      display_name: DisplayName.nullable().optional(),
      bio: text(limits.bio.characters).optional(),
    }),
    response: z.object({ bot: OwnedBot, token: z.string() }),
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/bots/{bot_id}',
    spec,
    summary: "Update the profile of one of the person's bots",
    body: z.object({
      display_name: DisplayName.nullable().optional(),
      bio: text(limits.bio.characters).optional(),
    }),
    response: z.object({ bot: OwnedBot }),
    limits: ['profile_changes'],
    access,
  }),
  setAvatar: endpoint({ ...endpoints.me.setAvatar, path: '/bots/{bot_id}/avatar', spec, access }),
  removeAvatar: endpoint({ ...endpoints.me.removeAvatar, path: '/bots/{bot_id}/avatar', spec, access }),
  setBanner: endpoint({ ...endpoints.me.setBanner, path: '/bots/{bot_id}/banner', spec, access }),
  removeBanner: endpoint({ ...endpoints.me.removeBanner, path: '/bots/{bot_id}/banner', spec, access }),
  delete: endpoint({
    method: 'DELETE',
    path: '/bots/{bot_id}',
    spec,
    summary: "Delete one of the person's bots",
    response: Ok,
    access,
  }),
  newToken: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/token',
    spec,
    summary: 'Generate a new token; the old one stops working right away',
    response: z.object({ token: z.string() }),
    access,
  }),
  setEventWebhook: endpoint({
    method: 'PUT',
    path: '/bots/{bot_id}/event-webhook',
    spec,
    summary: 'Set or remove the event webhook',
    body: z.object({ url: text(ownLimits.url.characters).nullable() }),
    response: z.object({ secret: z.string().nullable() }),
    access,
  }),
  getEventWebhook: endpoint({
    method: 'GET',
    path: '/bots/{bot_id}/event-webhook',
    spec,
    summary: "Get the event webhook of one of the person's bots, with its secret; null if not set",
    response: z.object({ url: z.string().nullable(), secret: z.string().nullable() }),
    access,
  }),
  newEventWebhookSecret: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/event-webhook/secret',
    spec,
    summary: 'Generate a new secret for the event webhook',
    response: z.object({ secret: z.string() }),
    access,
  }),
  testEvent: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/test-event',
    spec,
    summary: 'Send the bot a `test` event',
    response: Ok,
    access,
  }),
} as const
