import * as z from 'zod'
import { ActionRow, Button, Components } from '../schemas/components.ts'
import { ChannelWebhookEmbed, ChannelWebhookEmbeds, Embed, Embeds } from '../schemas/embed.ts'
import { channelWebhookEndpoints, endpoints } from '../endpoints.ts'
import { ErrorBody, WebhookErrorBody } from '../error-bodies.ts'
import type { EventType } from '../schemas/event-facts.ts'
import { eventTypes } from '../schemas/event-facts.ts'
import { eventData, EventPage, PolledEvent } from '../schemas/events.ts'
import { Id, Time } from '../schemas/fields.ts'
import { limits } from '../limits.ts'
import { Callback, ChannelWebhookPost, MessageCreate, MessageEdit } from '../schemas/messages.ts'
import { json, refusals } from './openapi-answers.ts'
import { pathsOf, serversAt } from './openapi-paths.ts'
import * as resources from '../schemas/resources.ts'
import { eventWebhookHeaders } from '../signature.ts'

/*
 * The OpenAPI 3.1 document (§9) as plain data with the zod schemas of the table. `scripts/build-openapi.mjs` converts them to JSON
 * Schema. Only that script and a test import this file, so zod-openapi is not a runtime dependency.
 */

/** The name of a data schema: `member_join` becomes `MemberJoinData`; types with the same data (`reaction_…`) share `ReactionData`. */
function dataName(type: EventType): string {
  const shared = eventTypes.some((other) => other !== type && eventData[other] === eventData[type])
  const words = shared ? type.split('_').slice(0, 1) : type.split('_')
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Data`
}

/** The named schemas of the document; all others are inlined. */
function schemas(): Record<string, z.ZodType> {
  const { BotProfile, Command, Channel, Category, Server, Role, Member, MemberDetail, Ban, Reaction } = resources
  const { Ok, PublicProfile, Author, Message, VoiceState, ChannelWebhook, StatusUpdate } = resources
  return {
    ...{ Id, Time, Ok, BotProfile, Command, Channel, Category, Server, Role, Member, MemberDetail, Ban, Reaction },
    ...{ PublicProfile, Author, Message, VoiceState, ChannelWebhook, StatusUpdate },
    ...{ Embed, Embeds, ChannelWebhookEmbed, ChannelWebhookEmbeds, Button, ActionRow, Components },
    ...{
      MessageCreate,
      MessageEdit,
      Callback,
      ChannelWebhookPost,
      PolledEvent,
      EventPage,
      ErrorBody,
      WebhookErrorBody,
    },
    ...Object.fromEntries(eventTypes.map((type) => [dataName(type), eventData[type]])),
  }
}

// Channel webhooks are not under the base URL (§4).
const webhookServers = serversAt('/webhooks', 'The base URL of channel webhooks (§4).')

const title = (name: string) => name.replace(/(?:^|-)([a-z])/g, (part) => part.toUpperCase())

/** Delivery of an event to the owner's URL (§4, Event webhook delivery). */
const delivery = () => ({
  post: {
    operationId: 'eventWebhooks.deliver',
    tags: ['events'],
    summary: "An event, sent as a POST request to the owner's URL; respond with 200 quickly",
    description:
      `The service waits ${limits.event_webhook_delivery.seconds} seconds and does not retry. ` +
      'Verify the signature of the raw body before you trust it.',
    security: [],
    requestParams: {
      header: z.object({
        [title(eventWebhookHeaders.bot)]: Id.describe('The id of the bot that receives the event.'),
        [title(eventWebhookHeaders.signature)]: z
          .string()
          .regex(/^sha256=[0-9a-f]{64}$/)
          .describe('`sha256=` followed by the hex HMAC-SHA256 of the raw body, keyed with the webhook secret.'),
      }),
    },
    requestBody: {
      required: true,
      ...json(
        z.union(
          eventTypes.map((type) => z.looseObject({ id: z.int(), event: z.literal(type), data: eventData[type] })),
        ),
      ),
    },
    responses: { '200': { description: 'Event received.' } },
    'x-retried': false,
    'x-answer-seconds': limits.event_webhook_delivery.seconds,
  },
})

/** The whole document (§9: OpenAPI 3.1, version 1.0.0), with the zod schemas of the table. */
export function openApi() {
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Bot interface',
      version: '1.0.0',
      description:
        'The REST API, event feed and event webhooks of a bot, and channel webhooks. Ids are UUIDs, times are ISO 8601. ' +
        'Lengths are counted in Unicode code points. Objects may contain more keys than documented here.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversAt('/v1', 'The base URL of the bot interface, which ends in the version (§9).'),
    tags: Object.keys({ ...endpoints, ...channelWebhookEndpoints }).map((name) => ({ name })),
    paths: {
      ...pathsOf(endpoints, { scheme: 'botToken' }),
      ...pathsOf(channelWebhookEndpoints, { scheme: 'botToken', item: { servers: webhookServers } }),
    },
    webhooks: { event: delivery() },
    components: {
      schemas: schemas(),
      responses: refusals(),
      securitySchemes: {
        botToken: {
          type: 'apiKey' as const,
          in: 'header' as const,
          name: 'Authorization',
          description: 'The word `Bot`, a space, and the token of the bot: `Authorization: Bot <token>` (§5).',
        },
      },
    },
    'x-limits': limits,
  }
}
