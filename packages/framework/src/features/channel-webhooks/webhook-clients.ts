import { BoundedMap } from '@botwright/protocol/facts'
import type { ChannelWebhookClient, ChannelWebhookOptions } from '@botwright/rest'
import { threadWide } from '../../link/redaction.ts'

/** A bot may open new webhooks for months. The connections of an idle client close by themselves. */
const MOST_CLIENTS = 1000

type Way = Pick<ChannelWebhookOptions, 'clock' | 'connect'>

/** One client per URL, so that a webhook that is opened again shares connections and limits. `way`: how clients reach the service. */
const shared = threadWide('channelWebhooks', () => ({ way: {} as Way, clients: noClients() }))
function noClients() {
  return new BoundedMap<string, Promise<ChannelWebhookClient>>(MOST_CLIENTS)
}

/** Until the result is called, all channel webhooks of this thread reach the service in this way, with new limits. For simulations. */
export function connectChannelWebhooks(way: Way): () => void {
  const former = shared.way
  Object.assign(shared, { way, clients: noClients() })
  return () => void Object.assign(shared, { way: former, clients: noClients() })
}

/** The client of a channel webhook's URL. */
export function clientOf(url: string): Promise<ChannelWebhookClient> {
  const { clients, way } = shared
  let client = clients.get(url)
  if (!client) {
    // Loaded by the first post, because most bots have no channel webhook.
    client = import('@botwright/rest').then(({ createChannelWebhook }) => createChannelWebhook(url, way))
    clients.set(url, client)
  }
  return client
}
