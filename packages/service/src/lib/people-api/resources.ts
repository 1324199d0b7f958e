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
  text,
  Time,
  VoiceState,
} from '@botwright/protocol'
import { TIMELINE_VERSION } from '@botwright/protocol/timeline'
import * as z from 'zod'
import { helpBounds, problemBounds } from './bounds.ts'

/** A user's presence as others see it; a bot is `offline` if it does not poll, a person is `online` while a page is open. */
export const Presence = z.object({ status: z.enum([...statuses, 'offline']), activity: z.string().nullable() })
export type Presence = z.infer<typeof Presence>

/** The signed-in person's own profile. */
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

/** A direct message channel and the other user in it. */
export const Dm = z.object({ channel_id: Id, user: Author })
export type Dm = z.infer<typeof Dm>

/** A member as the page shows it. */
export const PeopleMember = Member.extend({
  avatar_url: z.string().nullable(),
  timeout_until: Time.nullable(),
  presence: Presence,
})
export type PeopleMember = z.infer<typeof PeopleMember>

const helpText = text(helpBounds.characters)

/** One argument of a command, as the page completes and checks it. */
export const ArgHelp = z.object({
  /** As it is typed: `minutes`, `--secret`. */
  name: text(100),
  /** The end of "must be …": `a whole number from 1 to 60`. */
  expects: helpText,
  /** One word or quoted text, all remaining words, all remaining text, or a `--flag` without a value. */
  takes: z.enum(['word', 'words', 'text', 'flag']),
  /** The maximum number of unquoted words in a value, as in `tomorrow 18:00`; 1 if omitted. */
  mostWords: z.int().optional(),
  about: helpText.optional(),
  /** The value if it is omitted, as a person would type it. */
  default: helpText.optional(),
  optional: z.boolean().optional(),
  /** The accepted words, if there are no others. */
  choices: z.array(helpText).max(helpBounds.choices).optional(),
  /** The accepted numbers. */
  number: z.object({ whole: z.boolean(), min: z.number().optional(), max: z.number().optional() }).optional(),
})
export type ArgHelp = z.infer<typeof ArgHelp>

/** A command, or a subcommand such as `poll create`, with its arguments in the order in which people type them. */
export const CommandHelp = z.object({
  name: helpText,
  description: helpText,
  aliases: z.array(helpText).max(helpBounds.aliases),
  usage: helpText,
  args: z.array(ArgHelp).max(helpBounds.args),
  examples: z.array(helpText).max(helpBounds.examples),
})
export type CommandHelp = z.infer<typeof CommandHelp>

/** A bot of a server with its registered commands, and their descriptions if `framework dev` runs it: for completion in the message input. */
export const ServerBot = z.object({
  id: Id,
  username: z.string(),
  display_name: z.string().nullable(),
  avatar_url: z.string().nullable(),
  owner_id: Id,
  presence: Presence,
  commands: z.array(Command),
  help: z.array(CommandHelp),
})
export type ServerBot = z.infer<typeof ServerBot>

/** A channel webhook as its managers see it. Never includes its URL. */
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
  /** The read-only channels in which the viewer may post, and those whose slowmode does not apply to the viewer. */
  unlimited_channel_ids: z.array(Id),
  /** The people in the voice channels that the viewer can see. */
  voice: z.array(VoiceState),
  permissions: z.array(z.string()),
})
export type ServerView = z.infer<typeof ServerView>

/** A message that only the clicker can see; the page keeps it until reload or dismissal. */
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

/** `failed` after 3 seconds without an answer; a later answer changes it to `answered`. */
export const ClickState = z.enum(['waiting', 'answered', 'failed'])
export type ClickState = z.infer<typeof ClickState>

/** A bot as its owner sees it on the Developer screen. Never includes its token. */
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

/** A submission of a bot for review (§3, Publication review). `reason` is the message from staff to the owner. */
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

/** An approved bot, as listed for server managers. */
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

/** A report of a message. It keeps the reported content, because messages can be edited and deleted. */
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

/** A call of a bot with its response, as its owner sees it. `sent` and `answer` are JSON, truncated if long, without tokens. */
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
  /** Problems that the real service may have with this call. */
  warnings: z.array(z.string()),
})
export type BotCall = z.infer<typeof BotCall>

/** An event of a bot; `data` is JSON, truncated if long, without the token of an interaction. */
export const BotEvent = z.object({ id: z.int(), at: Time, type: z.string(), data: z.string() })
export type BotEvent = z.infer<typeof BotEvent>

/** The used limits of a bot (§8): messages in the last minute, and clicks in the last 15 minutes, newest first. */
export const BotUsage = z.object({
  now: Time,
  /** `used_until`: when each message of the last minute stops counting, oldest first. */
  messages: z.object({ of: z.int(), used_until: z.array(Time) }),
  interactions: z.array(
    z.object({
      id: Id,
      custom_id: z.string(),
      username: z.string(),
      created_at: Time,
      /** Without an answer by then (3 s), the clicker sees a failure. */
      answer_until: Time,
      open_until: Time,
      answers: z.int(),
      of: z.int(),
      answered_at: Time.nullable(),
    }),
  ),
})
export type BotUsage = z.infer<typeof BotUsage>

/** The recent events and calls of a bot, oldest first. `bots`: the users of its events that are or were bots. */
export const BotJournal = z.object({
  now: Time,
  calls: z.array(BotCall),
  events: z.array(BotEvent),
  bots: z.array(Id),
  usage: BotUsage,
})
export type BotJournal = z.infer<typeof BotJournal>

/** Addresses that open an editor. A page that opened others could run their code. */
const EditorLink = z
  .string()
  .max(2000)
  .regex(/^(?!javascript:|data:|vbscript:|blob:)[a-z][a-z0-9+.-]{0,40}:/i, {
    error: 'must be the address of an editor, such as vscode://file/…',
  })

const short = z.string().max(1000)
const long = z.string().max(8000)
const place = { at: short.optional(), link: EditorLink.optional() }

/** Why a handler failed, or code did not load. */
const Failure = z.looseObject({
  message: long,
  name: short.optional(),
  code: short.optional(),
  ...place,
  reference: short.optional(),
  frame: z
    .object({
      line: z.int(),
      column: z.int().optional(),
      lines: z.array(z.object({ number: z.int(), text: long })).max(50),
    })
    .optional(),
  causes: z.array(z.object({ name: short.optional(), message: long, at: short.optional() })).max(20),
  stack: long.optional(),
})

/** The timeline of an event, as `@botwright/protocol/timeline` defines it. Kinds of steps and fields that are unknown here are kept. */
export const PublishedTimeline = z.looseObject({
  version: z.literal(TIMELINE_VERSION),
  event: z.looseObject({
    /** That of a request to a route of the bot, or of a run of a task, is negative. */
    id: z.int().refine((id) => id !== 0),
    type: z.string().max(100),
    title: short,
    who: short.optional(),
    received_at: Time,
    data: z.record(z.string(), z.unknown()).optional(),
  }),
  result: z.string().max(40),
  file: short.optional(),
  ms: z.number().optional(),
  steps: z
    .array(
      z.looseObject({
        kind: z.string().max(40),
        atMs: z.number(),
        ms: z.number().optional(),
        text: long,
        ...place,
      }),
    )
    .max(1000),
  failure: Failure.optional(),
})
export type PublishedTimeline = z.infer<typeof PublishedTimeline>

/** Why the newest code of a bot under development does not load, and the version that runs instead. */
export const PublishedProblems = z.object({
  serving: z.enum(['new', 'previous', 'none']),
  problems: z.array(Failure).max(problemBounds.problems),
})
/** The problems of a bot; none once its code loads. */
export const BotProblems = z.object({ bot_id: Id, ...PublishedProblems.shape })
export type BotProblems = z.infer<typeof BotProblems>

/** The work of a bot under development for one event, in short. `message_id` is the message that the event is about. */
export const TimelineSummary = z.object({
  bot_id: Id,
  event_id: z.int(),
  type: z.string(),
  title: z.string(),
  who: z.string().nullable(),
  received_at: Time,
  result: z.string(),
  file: z.string().nullable(),
  ms: z.number().nullable(),
  /** The message of the error of its handler, and the line that threw. */
  error: z.string().nullable(),
  at: z.string().nullable(),
  channel_id: z.string().nullable(),
  message_id: z.string().nullable(),
})
export type TimelineSummary = z.infer<typeof TimelineSummary>

/** The recorded answer to an event, and what the current code would answer, line by line. */
export const Replay = z.object({
  verdict: z.enum(['same', 'different', 'error', 'fixed', 'unhandled', 'skipped', 'failed']),
  was: z.array(long).max(100),
  now: z.array(long).max(100),
})
export type Replay = z.infer<typeof Replay>
