import { DisplayName, endpoint, endpoints, Id, Server, text, Time, limits } from '@botwright/protocol'
import * as z from 'zod'
import { Dm, Person } from '../resources.ts'
import { spec } from '../spec.ts'

/** The time of the newest message of a channel. */
const Newest = z.object({ channel_id: Id, server_id: Id.nullable(), at: Time })

export const me = {
  get: endpoint({
    method: 'GET',
    path: '/me',
    spec,
    summary: 'Get the person with their servers and direct messages',
    response: z.object({
      person: Person,
      servers: z.array(Server),
      dms: z.array(Dm),
      newest: z.array(Newest),
      /** The server of the voice channel that the person is in. */
      voice_server_id: Id.nullable(),
      picture_hosts: z.array(z.string()),
    }),
  }),
  unread: endpoint({
    method: 'POST',
    path: '/me/unread',
    spec,
    summary:
      'Count the messages of others after the given time of each channel, and those that mention the person; up to 100 each',
    body: z.object({ read_until: z.record(Id, Time) }),
    response: z.object({
      channels: z.array(z.object({ channel_id: Id, messages: z.int(), mentions: z.int() })),
    }),
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/me',
    spec,
    summary: "Update the person's profile",
    body: z.object({
      display_name: DisplayName.nullable().optional(),
      bio: text(limits.bio.characters).optional(),
      accepts_dms: z.boolean().optional(),
    }),
    response: z.object({ person: Person }),
    limits: ['profile_changes'],
  }),
  setAvatar: endpoint({ ...endpoints.me.setAvatar, spec }),
  removeAvatar: endpoint({ ...endpoints.me.removeAvatar, spec }),
  setBanner: endpoint({ ...endpoints.me.setBanner, spec }),
  removeBanner: endpoint({ ...endpoints.me.removeBanner, spec }),
} as const
