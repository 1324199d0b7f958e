import {
  Author,
  Category,
  Channel,
  ChannelWebhook,
  Command,
  Embed,
  Id,
  Member,
  Message,
  Role,
  Server,
  statuses,
  Time,
  VoiceState,
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

/** A channel webhook as people see it who may manage it. Never with its URL. */
export const OwnedChannelWebhook = ChannelWebhook.extend({ creator: Author, created_at: Time })
export type OwnedChannelWebhook = z.infer<typeof OwnedChannelWebhook>

/** Everything that the page needs to show one server. `permissions` are the viewer's own. */
export const ServerView = z.object({
  server: Server,
  channels: z.array(Channel),
  categories: z.array(Category),
  members: z.array(PeopleMember),
  roles: z.array(Role),
  bots: z.array(ServerBot),
  /** Who sits in the voice channels that the viewer sees. */
  voice: z.array(VoiceState),
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
  banner_url: z.string().nullable(),
  public: z.boolean(),
  owner_id: Id,
  event_webhook_url: z.string().nullable(),
  commands: z.array(Command),
  presence: Presence,
  review: z.object({ state: z.enum(['private', 'submitted', 'approved', 'sent_back']), reason: z.string().nullable() }),
  created_at: Time,
})
export type OwnedBot = z.infer<typeof OwnedBot>

export const submissionStates = ['submitted', 'approved', 'sent_back', 'withdrawn'] as const

/** One submission of a bot for review (§3, Publication review). `reason` is what staff told the owner. */
export const Submission = z.object({
  id: Id,
  bot_id: Id,
  bot: Author,
  owner: Author,
  description: z.string(),
  state: z.enum(submissionStates),
  reason: z.string().nullable(),
  created_at: Time,
  decided_at: Time.nullable(),
})
export type Submission = z.infer<typeof Submission>

/** An approved bot, as managers of servers find it. */
export const ListedBot = z.object({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  bio: z.string(),
  avatar_url: z.string().nullable(),
  description: z.string(),
  owner: Author,
})
export type ListedBot = z.infer<typeof ListedBot>

export const reportStates = ['open', 'upheld', 'dismissed'] as const

/** A report of a message. It keeps what the message said then, because messages can be edited and deleted. */
export const Report = z.object({
  id: Id,
  message_id: Id,
  channel_id: Id,
  author: Author,
  content: z.string(),
  reporter: Author,
  reason: z.string(),
  state: z.enum(reportStates),
  created_at: Time,
  decided_at: Time.nullable(),
})
export type Report = z.infer<typeof Report>

/** A call of a bot with its answer, as its owner sees it. Texts are JSON, cut where long, without tokens. */
export const BotCall = z.object({
  id: z.int(),
  at: Time,
  bot_id: Id,
  method: z.string(),
  path: z.string(),
  sent: z.string().nullable(),
  status: z.int(),
  answer: z.string().nullable(),
  took_ms: z.number(),
  retry_after: z.number().nullable(),
  /** What went well here and may not on the real service. */
  warnings: z.array(z.string()),
})
export type BotCall = z.infer<typeof BotCall>

/** An event that a bot was given; `data` is JSON, cut where long, without the token of an interaction. */
export const BotEvent = z.object({ id: z.int(), at: Time, type: z.string(), data: z.string() })
export type BotEvent = z.infer<typeof BotEvent>

/** The limits that a bot uses up (§8): messages in the last minute, and its clicks of the last 15 minutes, newest first. */
export const BotUsage = z.object({
  now: Time,
  /** `used_until`: when each message of the last minute stops counting, the oldest first. */
  messages: z.object({ of: z.int(), used_until: z.array(Time) }),
  interactions: z.array(
    z.object({
      id: Id,
      custom_id: z.string(),
      username: z.string(),
      created_at: Time,
      /** Without an answer until then the clicker sees a failure (3 s). */
      answer_until: Time,
      open_until: Time,
      answers: z.int(),
      of: z.int(),
      answered_at: Time.nullable(),
    }),
  ),
})
export type BotUsage = z.infer<typeof BotUsage>
