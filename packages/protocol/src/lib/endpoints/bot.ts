import * as z from 'zod'
import { endpoint } from '../endpoint.ts'
import { DisplayName, QueryInteger, received, text } from '../schemas/fields.ts'
import { EventPage } from '../schemas/events.ts'
import { limits } from '../limits.ts'
import { BotProfile, Command, Ok, StatusUpdate, statuses } from '../schemas/resources.ts'

/** The media types of uploaded pictures (§4). */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

const spec = '4/Bot'

export const me = {
  get: endpoint({ method: 'GET', path: '/me', spec, summary: "Get the bot's own profile", response: BotProfile }),
  update: endpoint({
    method: 'PATCH',
    path: '/me',
    spec,
    summary: 'Update the display name and the bio',
    body: z.object({
      display_name: DisplayName.nullable().optional(),
      bio: text(limits.bio.characters).optional(),
    }),
    response: BotProfile,
    limits: ['profile_changes'],
  }),
  setAvatar: endpoint({
    method: 'PUT',
    path: '/me/avatar',
    spec,
    summary: 'Set the avatar',
    upload: { field: 'file', bytes: limits.avatar.bytes, types: imageTypes },
    response: Ok.extend({ avatar_url: z.string().optional() }),
    limits: ['profile_changes'],
  }),
  removeAvatar: endpoint({ method: 'DELETE', path: '/me/avatar', spec, summary: 'Remove the avatar', response: Ok }),
  setBanner: endpoint({
    method: 'PUT',
    path: '/me/banner',
    spec,
    summary: 'Set the banner',
    upload: { field: 'file', bytes: limits.banner.bytes, types: imageTypes },
    response: Ok.extend({ banner_url: z.string().optional() }),
    limits: ['profile_changes'],
  }),
  removeBanner: endpoint({ method: 'DELETE', path: '/me/banner', spec, summary: 'Remove the banner', response: Ok }),
  setStatus: endpoint({
    method: 'PUT',
    path: '/me/status',
    spec,
    summary: 'Set the presence and the activity',
    body: StatusUpdate,
    response: Ok.extend({ status: z.enum(statuses), activity: z.string().nullable() }),
    limits: ['profile_changes'],
  }),
} as const

export const commands = {
  list: endpoint({
    method: 'GET',
    path: '/commands',
    spec,
    summary: 'List the registered commands',
    response: received({ commands: z.array(Command) }),
  }),
  replace: endpoint({
    method: 'PUT',
    path: '/commands',
    spec,
    summary: 'Replace the list of registered commands',
    body: z.object({
      commands: z
        .array(Command)
        .max(limits.commands.max, { error: `must be at most ${limits.commands.max} commands` })
        .refine((all) => new Set(all.map((one) => one.name)).size === all.length, {
          error: 'must not contain the same name twice',
        }),
    }),
    response: Ok.extend({ commands: z.array(Command) }),
  }),
} as const

export const events = {
  list: endpoint({
    method: 'GET',
    path: '/events',
    spec: '4/Events',
    summary: 'Poll for events after an id; 0 means from now on',
    query: z.object({
      after: QueryInteger(0, Number.MAX_SAFE_INTEGER).default(0),
      wait: QueryInteger(0, limits.event_poll_wait.seconds).default(0),
    }),
    response: EventPage,
  }),
} as const
