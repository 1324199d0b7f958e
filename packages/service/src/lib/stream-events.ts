import { Author, Category, Channel, Id, Message, Reaction, Role, Server } from '@botwright/protocol'
import { z } from 'zod'
import {
  BotCall,
  BotEvent,
  BotUsage,
  ClickState,
  Ephemeral,
  OwnedChannelWebhook,
  PeopleMember,
  Presence,
  ServerBot,
} from './people-resources.ts'

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
const categoryEvent = z.object({ ...place, category: Category })

/**
 * The events of `GET /people/v1/stream` by their SSE event name; `data` is JSON of this shape. A page gets those of the
 * servers, channels and people that its person sees.
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
  channel_delete: z.object({ ...place }),
  category_create: categoryEvent,
  category_update: categoryEvent,
  category_delete: z.object({ ...place, category_id: Id }),
  role_create: z.object({ ...place, role: Role }),
  server_update: z.object({ ...place, server: Server }),
  member_join: z.object({ ...place, member: PeopleMember }),
  /** Nickname, roles or timeout; with other roles, private channels come and go as `channel_create` and `channel_delete`. */
  member_update: z.object({ ...place, member: PeopleMember }),
  member_leave: z.object({ ...place, user_id: Id }),
  /** The name or picture of somebody in a common server or direct messages, the viewer included. */
  user_update: z.object({ ...place, user: Author }),
  /** A bot came, or has other commands. */
  bot_update: z.object({ ...place, bot: ServerBot }),
  /** Who sits in a voice channel from now on. */
  voice: z.object({ ...place, user_ids: z.array(Id) }),
  /** To those who manage a channel's webhooks: which there are from now on. */
  channel_webhooks: z.object({ ...place, webhooks: z.array(OwnedChannelWebhook) }),
  dm_create: z.object({ ...place, user: Author }),
  /** To the owner of a bot whose journal a page has read: what the bot gets and does. */
  bot_event: z.object({ ...place, bot_id: Id, event: BotEvent, usage: BotUsage }),
  bot_call: z.object({ ...place, bot_id: Id, call: BotCall, usage: BotUsage }),
} as const
/** The types of events of the page's live stream. */
export type StreamEventType = keyof typeof streamEvents
/** An event of the page's live stream. */
export type StreamEvent<T extends StreamEventType = StreamEventType> = z.infer<(typeof streamEvents)[T]>
