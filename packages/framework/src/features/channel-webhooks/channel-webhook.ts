import type { ChannelWebhook as Facts, ChannelWebhookPost, Message } from '@botwright/protocol/shapes'
import { hideFromNow } from '../../link/redaction.ts'
import { clientOf } from './webhook-clients.ts'

/** Posts into one channel without a bot (§4), with a name and an avatar per post. */
export interface ChannelWebhook {
  /** Posts; resolves when the service has accepted it. */
  post(message: string | ChannelWebhookPost): Promise<void>
  /** Posts and returns the message. */
  postAndWait(message: string | ChannelWebhookPost): Promise<Message>
  /** The webhook's data from the service. */
  get(): Promise<Facts>
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
