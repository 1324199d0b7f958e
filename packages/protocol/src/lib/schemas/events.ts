import * as z from 'zod'
import type { EventType } from './event-facts.ts'
import { Emoji, Id, received, Time } from './fields.ts'
import { messageFields } from './resources.ts'

const membership = { server_id: Id, channel_id: z.null(), user_id: Id, username: z.string() }

const reaction = received({
  message_id: Id,
  channel_id: Id,
  server_id: Id.nullable(),
  user_id: Id,
  username: z.string(),
  emoji: Emoji,
  message_author_id: Id,
})

const voice = received({ user_id: Id, channel_id: Id, server_id: Id })

/** The data of every event type (§6), exactly as the local service sends it. Readers stay tolerant (decisions rows 4, 5). */
export const eventData = {
  message: received({ ...messageFields, command: z.string().optional(), args: z.string().optional() }),
  member_join: received({ ...membership, joined_at: Time, member_count: z.int() }),
  member_leave: received({ ...membership, member_count: z.int() }),
  reaction_add: reaction,
  reaction_remove: reaction,
  interaction: received({
    id: Id,
    token: z.string(),
    type: z.literal('button'),
    custom_id: z.string(),
    message_id: Id,
    channel_id: Id,
    server_id: Id.nullable(),
    user_id: Id,
    username: z.string(),
    expires_at: Time,
  }),
  voice_join: voice,
  voice_leave: voice,
  test: received({ channel_id: Id.nullable(), server_id: Id.nullable() }),
} as const satisfies Record<EventType, z.ZodObject>

/** The data of one event type. */
export type EventData<T extends EventType = EventType> = z.infer<(typeof eventData)[T]>
/** The envelope of a polled event (§6). The type may be unknown to this version. */
export const PolledEvent = received({
  id: z.int(),
  type: z.string(),
  data: z.looseObject({ channel_id: Id.nullable(), server_id: Id.nullable() }),
  created_at: Time,
})
export type PolledEvent = z.infer<typeof PolledEvent>

/** The envelope of an event webhook's body (§4, Event webhook delivery). */
export const WebhookEvent = received({ id: z.int(), event: z.string(), data: PolledEvent.shape.data })
export type WebhookEvent = z.infer<typeof WebhookEvent>

/** A page of the feed (§4, Events). */
export const EventPage = received({ events: z.array(PolledEvent), last: z.int() })
export type EventPage = z.infer<typeof EventPage>
