import { byName, type Endpoint } from './endpoint.ts'
import { commands, events, me } from './endpoints/bot.ts'
import { channelWebhooks, interactions, messages, reactions, users } from './endpoints/messages.ts'
import { moderation, voice } from './endpoints/moderation.ts'
import { categories, channels, members, servers } from './endpoints/servers.ts'

/** Every endpoint of the bot interface (§4), by group and name. The client, the service and the documents are derived from it. */
export const endpoints = {
  me,
  commands,
  events,
  servers,
  members,
  channels,
  categories,
  moderation,
  voice,
  messages,
  reactions,
  interactions,
  users,
} as const

/** The endpoints behind the URL of a channel webhook (§4, Channel webhooks). */
export const channelWebhookEndpoints = { channelWebhooks } as const

/** The table of endpoints, as a type. */
export type Endpoints = typeof endpoints

type Names<T> = { [G in keyof T & string]: `${G}.${keyof T[G] & string}` }[keyof T & string]

/** The name of an endpoint, such as `messages.create`. */
export type EndpointName = Names<Endpoints>

/** The entry of the table under a name. */
export type EndpointOf<N extends EndpointName> = N extends `${infer G extends keyof Endpoints & string}.${infer K}`
  ? K extends keyof Endpoints[G]
    ? Endpoints[G][K] extends Endpoint
      ? Endpoints[G][K]
      : never
    : never
  : never

/** The table as one flat map from name to entry. */
export const endpointsByName = byName(endpoints) as ReadonlyMap<EndpointName, Endpoint>
