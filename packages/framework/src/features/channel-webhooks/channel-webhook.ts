import type { ChannelWebhook as Facts, ChannelWebhookPost, Message } from '@botwright/protocol/shapes'
import type { ChannelWebhookClient, ChannelWebhookOptions } from '@botwright/rest'
import { BoundedMap } from '@botwright/protocol/facts'
import { hideFromNow, threadWide } from '../../link/redaction.ts'

/** Posts into one channel without a bot (§4), with a name and an avatar per post. */
export interface ChannelWebhook {
  /** Posts; resolves when the service has accepted it. */
  post(message: string | ChannelWebhookPost): Promise<void>
  /** Posts and returns the message. */
  postAndWait(message: string | ChannelWebhookPost): Promise<Message>
  /** The webhook's data from the service. */
  get(): Promise<Facts>
}

/** A bot may open new webhooks for months. The connections of an idle client close by themselves. */
const MOST_CLIENTS = 1000

type Way = Pick<ChannelWebhookOptions, 'clock' | 'connect'>

/** One client per URL, so that a webhook that is opened again shares connections and limits, and how they reach the service. */
const shared = threadWide('channelWebhooks', () => ({ way: {} as Way, clients: noClients() }))
function noClients() {
  return new BoundedMap<string, Promise<ChannelWebhookClient>>(MOST_CLIENTS)
}

/** All channel webhooks of this thread reach the service in this way, with new limits, until the result is called. For simulations. */
export function connectChannelWebhooks(way: Way): () => void {
  const former = shared.way
  Object.assign(shared, { way, clients: noClients() })
  return () => void Object.assign(shared, { way: former, clients: noClients() })
}

function clientOf(url: string): Promise<ChannelWebhookClient> {
  const { clients, way } = shared
  let client = clients.get(url)
  if (!client) {
    // Loaded by the first post, because most bots have no channel webhook.
    client = import('@botwright/rest').then(({ createChannelWebhook }) => createChannelWebhook(url, way))
    clients.set(url, client)
  }
  return client
}

/**
 * Opens a channel webhook by its secret URL; keep it in the environment. Refusals are errors with `ERR_CHANNEL_WEBHOOK` and
 * `webhookCode` (§7), requested waits are honored, and no error contains the URL.
 */
export function channelWebhook(url: string): ChannelWebhook {
  hideFromNow(/\/([^/?#]+)\/?(?:[?#]|$)/.exec(url)?.[1])
  const open = () => clientOf(url)
  const body = (message: string | ChannelWebhookPost) => (typeof message === 'string' ? { content: message } : message)
  return {
    post: async (message) => (await open()).execute(body(message)),
    postAndWait: async (message) => (await open()).executeAndWait(body(message)),
    get: async () => (await open()).get(),
  }
}
