// The types that scripts/write-shapes.mjs writes to shapes.generated.ts, as inferred from the schemas. Only that script reads this file.

import type { CallsOf } from '../endpoint.ts'
import type { Endpoints } from '../endpoints.ts'
import type { EventData as DataOf } from '../schemas/events.ts'
import type { EventType } from '../schemas/event-facts.ts'

export type { ActionRow, Button } from '../schemas/components.ts'
export type { Embed } from '../schemas/embed.ts'
export type { PolledEvent } from '../schemas/events.ts'
export type { Callback, ChannelWebhookPost, MessageCreate, MessageEdit } from '../schemas/messages.ts'
export type {
  Author,
  Ban,
  BotProfile,
  Category,
  Channel,
  ChannelWebhook,
  Command,
  Member,
  MemberDetail,
  Message,
  PublicProfile,
  Reaction,
  Role,
  Server,
} from '../schemas/resources.ts'

/** The data of each event type (§6). */
export type EventsData = { [Type in EventType]: DataOf<Type> }

/** The input and output of each endpoint (§4): path parameters, query and body in one flat object, and the response. */
export type Calls = CallsOf<Endpoints>
