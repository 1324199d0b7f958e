import { z } from 'zod'
import { ActionRow, Button, Components } from './components.ts'
import { ChannelWebhookEmbed, ChannelWebhookEmbeds, Embed, Embeds } from './embed.ts'
import { channelWebhookEndpoints, endpoints } from './endpoints.ts'
import { ErrorBody, WebhookErrorBody } from './error-bodies.ts'
import type { EventType } from './event-facts.ts'
import { eventTypes } from './event-facts.ts'
import { eventData, EventPage, PolledEvent } from './events.ts'
import { Id, Time } from './fields.ts'
import { limits } from './limits.ts'
import { Callback, ChannelWebhookPost, MessageCreate, MessageEdit } from './messages.ts'
import { json, refusals } from './openapi-answers.ts'
import { pathsOf, serversAt } from './openapi-paths.ts'
import * as resources from './resources.ts'
import { eventWebhookHeaders } from './signature.ts'

/*
 * The OpenAPI 3.1 document (§9) as plain data with the table's own schemas in it. `scripts/build-openapi.mjs` turns those into JSON
 * Schema; nothing but that script and a test reads this file, so that zod-openapi is no dependency at run time.
 */

/** The name of a data schema: `member_join` gives `MemberJoinData`; types with the same data (`reaction_…`) share `ReactionData`. */
function dataName(type: EventType): string {
  const shared = eventTypes.some((other) => other !== type && eventData[other] === eventData[type])
  const words = shared ? type.split('_').slice(0, 1) : type.split('_')
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Data`
}

/** The schemas that the document names; every other one stands where it is used. */
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

// Channel webhooks are not below the base URL (§4).
const webhookServers = serversAt('/webhooks', 'The base URL of channel webhooks (§4).')

const title = (name: string) => name.replace(/(?:^|-)([a-z])/g, (part) => part.toUpperCase())

/** The delivery of an event to the owner's URL (§4, Event webhook delivery). */
const delivery = () => ({
  post: {
    operationId: 'eventWebhooks.deliver',
    tags: ['events'],
    summary: "An event, POSTed to the owner's URL as it happens; answer 200 quickly",
    description:
      `The service waits ${limits.event_webhook_delivery.seconds} seconds and does not retry. ` +
      'Check the signature of the raw body before trusting it.',
    security: [],
    requestParams: {
      header: z.object({
        [title(eventWebhookHeaders.bot)]: Id.describe('The bot that the event is for.'),
        [title(eventWebhookHeaders.signature)]: z
          .string()
          .regex(/^sha256=[0-9a-f]{64}$/)
          .describe('sha256= and the hex HMAC-SHA256 of the raw body, keyed with the webhook secret.'),
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
    responses: { '200': { description: 'Taken.' } },
    'x-retried': false,
    'x-answer-seconds': limits.event_webhook_delivery.seconds,
  },
})

/** The whole document (§9: OpenAPI 3.1, version 1.0.0), its schemas still those of the table. */
export function openApi() {
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Bot interface',
      version: '1.0.0',
      description:
        'The REST interface, event feed and event webhooks of a bot, and channel webhooks. Ids are UUIDs, times ISO 8601. ' +
        'A length counts Unicode code points. Objects may carry more keys than are named here.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversAt('/v1', 'The base URL of the bot interface; it ends in the version (§9).'),
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
          description: 'The word `Bot`, a space and the token of the bot: `Authorization: Bot <token>` (§5).',
        },
      },
    },
    'x-limits': limits,
  }
}
