import { Author, Category, Channel, Id, Message, Reaction, Role, Server } from '@botwright/protocol'
import * as z from 'zod'
import {
  BotCall,
  BotEvent,
  BotProblems,
  BotUsage,
  ClickState,
  Ephemeral,
  OwnedChannelWebhook,
  PeopleMember,
  Presence,
  Replay,
  ServerBot,
  TimelineSummary,
} from './resources.ts'

const place = { channel_id: Id.nullable(), server_id: Id.nullable() }
const messageEvent = z.object({ ...place, message: Message, author: Author })
const reactionEvent = z.object({
  ...place,
  message_id: Id,
  user_id: Id,
  username: z.string(),
  emoji: z.string(),
  /** All reactions on the message after the change; `me` is for the receiver. */
  reactions: z.array(Reaction),
})
const channelEvent = z.object({ ...place, channel: Channel })
const categoryEvent = z.object({ ...place, category: Category })

/**
 * The events of `GET /people/v1/stream` by their SSE event name; `data` is JSON of this shape. A page receives those of the
 * servers, channels and people that its person can see.
 */
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
  /** Also direct messages with a bot that was deleted. */
  channel_delete: z.object({ ...place }),
  category_create: categoryEvent,
  category_update: categoryEvent,
  category_delete: z.object({ ...place, category_id: Id }),
  role_create: z.object({ ...place, role: Role }),
  server_update: z.object({ ...place, server: Server }),
  member_join: z.object({ ...place, member: PeopleMember }),
  /** Nickname, roles or timeout changed. If roles changed access to private channels, `channel_create` and `channel_delete` follow. */
  member_update: z.object({ ...place, member: PeopleMember }),
  member_leave: z.object({ ...place, user_id: Id }),
  /** Name or picture changed, for users who share a server or direct messages with the viewer, and for the viewer. */
  user_update: z.object({ ...place, user: Author }),
  /** A bot was deleted, with its messages and reactions: every page receives it, because the bot may have left the servers of its messages. */
  user_delete: z.object({ ...place, user_id: Id }),
  /** A bot joined, or its commands changed. */
  bot_update: z.object({ ...place, bot: ServerBot }),
  /** The people in a voice channel after a change. */
  voice: z.object({ ...place, user_ids: z.array(Id) }),
  /** The webhooks of a channel after a change, for those who can manage them. */
  channel_webhooks: z.object({ ...place, webhooks: z.array(OwnedChannelWebhook) }),
  dm_create: z.object({ ...place, user: Author }),
  /** Events and calls of a bot, for its owner, once a page has loaded its journal. */
  bot_event: z.object({ ...place, bot_id: Id, event: BotEvent, usage: BotUsage }),
  bot_call: z.object({ ...place, bot_id: Id, call: BotCall, usage: BotUsage }),
  /** The timeline of an event of a bot under development, for its owner; again when it has grown. */
  bot_timeline: z.object({ ...place, timeline: TimelineSummary }),
  /** The newest code of a bot under development does not load, or loads again, for the owner of the bot. */
  bot_problems: z.object({ ...place, ...BotProblems.shape }),
  /** The result of a replay, for the owner of the bot. */
  bot_replay: z.object({ ...place, bot_id: Id, event_id: z.int(), replay: Replay }),
} as const
/** The types of events of the page's live stream. */
export type StreamEventType = keyof typeof streamEvents
/** An event of the page's live stream. */
export type StreamEvent<T extends StreamEventType = StreamEventType> = z.infer<(typeof streamEvents)[T]>
