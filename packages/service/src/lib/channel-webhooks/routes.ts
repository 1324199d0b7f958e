import { type ChannelWebhookPost, channelWebhookEndpoints, explain, limits } from '@botwright/protocol'
import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import { type Chat, inGroupCommit } from '../chat.ts'
import { checkContent } from '../rules/content-rules.ts'
import type { ChannelRow, ChannelWebhookRow, ServerRow } from '../db/rows.ts'
import { Refusal } from '../refusal.ts'
import { MAX_BODY, refuseOtherMethods } from '../http/router.ts'
import { findChannel, findServer, hasFlag } from '../store/access.ts'
import { insertMessage, messageView } from '../store/messages.ts'
import { findUser } from '../store/users.ts'
import { hashToken } from '../tokens.ts'
import { channelWebhookView, findChannelWebhook, webhookAuthor } from '../store/channel-webhooks.ts'
import { pingsOf } from '../store/mentions.ts'
import { checkPost, ignoredFields, readPost } from './post-body.ts'
import { refuseWebhook, slowWebhookDown } from './webhook-refusal.ts'

const { execute, get } = channelWebhookEndpoints.channelWebhooks

/** Some of Discord's clients accept only a host, and prepend the version of Discord's API to the path. */
export const webhookBases = ['/webhooks', '/api/v10/webhooks']

/** Serves the URLs of channel webhooks (§4, Channel webhooks). */
export function serveChannelWebhooks(app: Hono, chat: Chat): void {
  for (const base of webhookBases) {
    const at = (entry: typeof execute | typeof get) => base + entry.path.replace(/\{(\w+)\}/g, ':$1')
    app.on(execute.method, at(execute), (context) => post(chat, context))
    app.on(get.method, at(get), (context) =>
      context.json(channelWebhookView(chat, authorize(chat, context).webhook), get.status as 200),
    )
    refuseOtherMethods(app, { base, endpoints: channelWebhookEndpoints })
    // The general error text contains the path, and this path may contain a token.
    app.all(`${base}/*`, () => {
      throw new Refusal(404, 'no such path')
    })
  }
}

interface Place {
  webhook: ChannelWebhookRow
  channel: ChannelRow
  server: ServerRow
}

/** Finds the webhook of a URL; throws unless the token is right and it may post (§4, §7; decisions rows 44 and 47). */
function authorize(chat: Chat, context: Context): Place {
  const { webhook_id = '', webhook_token = '' } = context.req.param() as Record<string, string>
  const webhook = findChannelWebhook(chat, webhook_id.toLowerCase())
  if (!webhook) throw refuseWebhook(10015, 'unknown webhook: it was deleted, or the id is wrong')
  if (webhook.token_hash !== hashToken(webhook_token)) {
    throw refuseWebhook(50027, 'wrong token: this is not the current URL of the webhook')
  }
  const channel = findChannel(chat, webhook.channel_id)!
  const server = findServer(chat, channel.server_id!)!
  if (!hasFlag(server, 'channel_webhooks')) {
    throw refuseWebhook(50001, 'cannot post here: channel_webhooks is not available on this server')
  }
  const { banned } = findUser(chat, webhook.creator_id)!
  if (banned === 1 || isBanned(chat, server.id, webhook.creator_id)) {
    throw refuseWebhook(50001, 'cannot post here: the creator of this webhook is banned')
  }
  return { webhook, channel, server }
}

const isBanned = (chat: Chat, serverId: string, userId: string): boolean =>
  chat.sql.get('SELECT 1 FROM bans WHERE server_id = ? AND user_id = ?', serverId, userId) !== undefined

async function post(chat: Chat, context: Context): Promise<Response> {
  authorize(chat, context)
  const query = execute.query.safeParse({ wait: switched(context.req.query('wait')) })
  if (!query.success) throw refuseWebhook(50035, explain(query.error))
  const sent = await readPost(context, MAX_BODY)
  const body = checkPost(chat, sent)
  const message = await inGroupCommit(chat, () => {
    // Authorize again: the URL may have been replaced while the body arrived.
    const place = authorize(chat, context)
    const keys = rateKeys(place)
    for (const { key, limit } of keys) {
      const waitMs = chat.rates.waitMs(key, limit)
      if (waitMs > 0) throw slowWebhookDown(waitMs, `at most ${limit.requests} in ${limit.seconds} s`)
    }
    const inserted = insertPost(chat, place, body)
    for (const { key, limit } of keys) chat.rates.count(key, limit)
    return inserted
  })
  if (query.data.wait !== 'true') return context.body(null, execute.status as 204)
  const ignored_fields = ignoredFields(sent)
  return context.json(ignored_fields.length > 0 ? { ...message, ignored_fields } : message)
}

/** Normalizes `wait`: clients in other languages send `1` or `True`. */
const switched = (wait: string | undefined) =>
  wait === undefined ? undefined : ({ '1': 'true', '0': 'false' }[wait] ?? wait.toLowerCase())

const rateKeys = ({ webhook, channel }: Place) =>
  execute.limits
    .map((name) => ({ name, limit: limits[name] }))
    .map(({ name, limit }) => ({ key: `${name} ${limit.per === 'channel' ? channel.id : webhook.id}`, limit }))

function insertPost(chat: Chat, { webhook, channel, server }: Place, body: z.output<typeof ChannelWebhookPost>) {
  const { content, embeds, username } = body
  // Violations count for the webhook's creator (§1).
  checkContent(chat, { id: webhook.creator_id }, { content, embeds, username })
  const author = webhookAuthor(chat, webhook, username ?? webhook.name, body.avatar_url ?? webhook.avatar_url)
  const pings = pingsOf(chat, body.allowed_mentions, { serverId: server.id, creatorId: webhook.creator_id })
  return messageView(chat, insertMessage(chat, channel, author, { content, embeds, pings }), channel, author.id)
}
