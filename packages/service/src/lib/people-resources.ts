import {
  Author,
  Category,
  Channel,
  Command,
  Embed,
  Id,
  Member,
  Message,
  Reaction,
  Role,
  Server,
  statuses,
  Time,
} from '@botwright/protocol'
import { z } from 'zod'

/** What others see of a user's presence; `offline` for a bot that does not poll, `online` for a person with an open page. */
export const Presence = z.object({ status: z.enum([...statuses, 'offline']), activity: z.string().nullable() })
export type Presence = z.infer<typeof Presence>

/** A signed-in person, as that person sees itself. */
export const Person = z.object({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  bio: z.string(),
  avatar_url: z.string().nullable(),
  banner_url: z.string().nullable(),
  created_at: Time,
  staff: z.boolean(),
  tier: z.enum(['free', 'paid']),
  accepts_dms: z.boolean(),
})
export type Person = z.infer<typeof Person>

/** A direct-message channel and who is at its other end. */
export const Dm = z.object({ channel_id: Id, user: Author })
export type Dm = z.infer<typeof Dm>

/** A member as the page shows it. */
export const PeopleMember = Member.extend({
  avatar_url: z.string().nullable(),
  timeout_until: Time.nullable(),
  presence: Presence,
})
export type PeopleMember = z.infer<typeof PeopleMember>

/** A bot of a server with its registered commands, for completion in the input. */
export const ServerBot = z.object({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  avatar_url: z.string().nullable(),
  owner_id: Id,
  presence: Presence,
  commands: z.array(Command),
})
export type ServerBot = z.infer<typeof ServerBot>

/** Everything that the page needs to show one server. `permissions` are the viewer's own. */
export const ServerView = z.object({
  server: Server,
  channels: z.array(Channel),
  categories: z.array(Category),
  members: z.array(PeopleMember),
  roles: z.array(Role),
  bots: z.array(ServerBot),
  permissions: z.array(z.string()),
})
export type ServerView = z.infer<typeof ServerView>

/** A message that only the clicker sees; kept by the page until reload or dismissal. */
export const Ephemeral = z.object({
  id: Id,
  channel_id: Id,
  author_id: Id,
  author: z.string(),
  content: z.string(),
  embeds: z.array(Embed),
  created_at: Time,
})
export type Ephemeral = z.infer<typeof Ephemeral>

/** One answer of a bot to a click; `message` for `reply` and `update`, `ephemeral` for `ephemeral`. */
export const ClickAnswer = z.object({
  type: z.enum(['reply', 'ack', 'ephemeral', 'update']),
  message: Message.optional(),
  ephemeral: Ephemeral.optional(),
  at: Time,
})
export type ClickAnswer = z.infer<typeof ClickAnswer>

/** `failed` after 3 seconds without an answer; a later answer makes it `answered`. */
export const ClickState = z.enum(['waiting', 'answered', 'failed'])
export type ClickState = z.infer<typeof ClickState>

/** A bot as its owner sees it on the Developer screen. Never with its token. */
export const OwnedBot = z.object({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  bio: z.string(),
  avatar_url: z.string().nullable(),
  public: z.boolean(),
  owner_id: Id,
  event_webhook_url: z.string().nullable(),
  commands: z.array(Command),
  presence: Presence,
  review: z.object({ state: z.enum(['private', 'submitted', 'approved', 'sent_back']), reason: z.string().nullable() }),
  created_at: Time,
})
export type OwnedBot = z.infer<typeof OwnedBot>

const place = { channel_id: Id.nullable(), server_id: Id.nullable() }
const messageEvent = z.object({ ...place, message: Message, author: Author })
const reactionEvent = z.object({
  ...place,
  message_id: Id,
  user_id: Id,
  username: z.string(),
  emoji: z.string(),
  /** All reactions on the message afterwards, `me` as seen by the receiver. */
  reactions: z.array(Reaction),
})
const channelEvent = z.object({ ...place, channel: Channel })

/** The events of `GET /people/v1/stream` by their SSE event name; `data` is JSON of this shape. */
export const streamEvents = {
  message_create: messageEvent,
  message_update: messageEvent,
  message_delete: z.object({ ...place, message_id: Id }),
  reaction_add: reactionEvent,
  reaction_remove: reactionEvent,
  ephemeral: z.object({ ...place, interaction_id: Id, message: Ephemeral }),
  presence: z.object({ ...place, user_id: Id, presence: Presence }),
  click: z.object({ ...place, interaction_id: Id, message_id: Id, custom_id: z.string(), state: ClickState }),
  channel_create: channelEvent,
  channel_update: channelEvent,
  channel_delete: z.object({ ...place }),
  server_update: z.object({ ...place, server: Server }),
  member_join: z.object({ ...place, member: PeopleMember }),
  member_leave: z.object({ ...place, user_id: Id }),
  voice: z.object({ ...place, user_ids: z.array(Id) }),
  dm_create: z.object({ ...place, user: Author }),
} as const
export type StreamEventType = keyof typeof streamEvents
export type StreamEvent<T extends StreamEventType = StreamEventType> = z.infer<(typeof streamEvents)[T]>
