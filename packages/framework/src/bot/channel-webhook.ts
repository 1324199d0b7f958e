import type { ChannelWebhook as Facts, ChannelWebhookPost, Message } from '@botwright/protocol/shapes'
import type { ChannelWebhookClient } from '@botwright/rest'
import { hideFromNow } from '../link/redaction.ts'

/** A way into one channel that needs no bot (§4): with a name and a picture of its own for each post. */
export interface ChannelWebhook {
  /** Posts; resolves when the service took it. */
  post(message: string | ChannelWebhookPost): Promise<void>
  /** Posts and gives the message. */
  postAndWait(message: string | ChannelWebhookPost): Promise<Message>
  /** What the service tells of it. */
  get(): Promise<Facts>
}

/** One client for each URL: a handler that opens its webhook anew shares its connections, and its turn by the limits. */
const clients = new Map<string, Promise<ChannelWebhookClient>>()

function clientOf(url: string): Promise<ChannelWebhookClient> {
  let client = clients.get(url)
  if (!client) {
    // The HTTP client is loaded by the first post: most bots have no channel webhook.
    client = import('@botwright/rest').then(({ createChannelWebhook }) => createChannelWebhook(url))
    clients.set(url, client)
  }
  return client
}

/**
 * Opens a channel webhook by its secret URL; keep it in the environment. Refusals are errors with `ERR_CHANNEL_WEBHOOK` and
 * `webhookCode` (§7), a wait that the service asks for is waited out, and the URL stands in no error.
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
