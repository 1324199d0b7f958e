import { type ChannelWebhook, limits } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { ChannelRow, ChannelWebhookRow, UserRow } from '../db/rows.ts'
import { iso } from '../iso-time.ts'
import type { OwnedChannelWebhook } from '../people-api/resources.ts'
import { Refusal } from '../refusal.ts'
import { canSee, findChannel, may } from './access.ts'
import { notify } from './notify.ts'
import { authorView, findUser } from './users.ts'
import { hashToken, newId, newToken } from '../tokens.ts'

export const findChannelWebhook = (chat: Chat, id: string) => chat.directory.channelWebhook(id)

const webhooksOf = (chat: Chat, channelId: string) =>
  chat.sql.all<ChannelWebhookRow>('SELECT * FROM channel_webhooks WHERE channel_id = ? ORDER BY rowid', channelId)

/** A channel webhook as `GET` of its URL returns it (§4). */
export const channelWebhookView = (chat: Chat, row: ChannelWebhookRow): ChannelWebhook => ({
  id: row.id,
  name: row.name,
  avatar_url: row.avatar_url,
  channel_id: row.channel_id,
  // Only server channels can have webhooks.
  server_id: findChannel(chat, row.channel_id)!.server_id!,
})

/** A channel webhook as its managers see it. */
const ownedView = (chat: Chat, row: ChannelWebhookRow): OwnedChannelWebhook => ({
  ...channelWebhookView(chat, row),
  creator: authorView(findUser(chat, row.creator_id)!),
  created_at: iso(row.created_at),
})

export const ownedViews = (chat: Chat, channelId: string): OwnedChannelWebhook[] =>
  webhooksOf(chat, channelId).map((row) => ownedView(chat, row))

/** Gives a channel webhook a new secret URL, which replaces the old one. Only its hash is stored. */
function newUrl(chat: Chat, id: string): string {
  const token = newToken()
  chat.sql.run('UPDATE channel_webhooks SET token_hash = ? WHERE id = ?', hashToken(token), id)
  return `${chat.origin}/webhooks/${id}/${token}`
}

interface NewChannelWebhook {
  name: string
  avatar_url?: string | null | undefined
}

export function insertChannelWebhook(chat: Chat, channel: ChannelRow, creator: UserRow, made: NewChannelWebhook) {
  if (channel.server_id === null || channel.type !== 'text') {
    throw new Refusal(400, 'channel_id: only text channels of servers can have webhooks')
  }
  const { per_channel: most } = limits.channel_webhooks
  if (webhooksOf(chat, channel.id).length >= most) {
    throw new Refusal(400, `channel_id: a channel can have at most ${most} webhooks; delete one first`)
  }
  const id = newId()
  chat.sql.run(
    'INSERT INTO channel_webhooks (id, channel_id, creator_id, name, avatar_url, token_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    id,
    channel.id,
    creator.id,
    made.name,
    made.avatar_url ?? null,
    '',
    chat.clock.now(),
  )
  return withNewUrl(chat, id)
}

/** Generates a new URL for a channel webhook. */
export function withNewUrl(chat: Chat, id: string): { webhook: OwnedChannelWebhook; url: string } {
  const url = newUrl(chat, id)
  return { webhook: ownedView(chat, findChannelWebhook(chat, id)!), url }
}

/** Sends a channel's webhooks to the pages of those who can manage them. */
export function notifyChannelWebhooks(chat: Chat, channel: ChannelRow): void {
  const { id: channel_id, server_id } = channel
  if (server_id === null) return
  const webhooks = ownedViews(chat, channel_id)
  for (const viewer of chat.stream.listeners()) {
    if (canSee(chat, channel, viewer) && may(chat, server_id, viewer, 'manage_webhooks')) {
      notify(chat, viewer, 'channel_webhooks', { channel_id, server_id, webhooks })
    }
  }
}

/**
 * The author of a post. Each combination of name and picture has its own author, so that clients that cache authors by id never show
 * a post under the wrong name. The webhook's own name and picture use the webhook's id.
 */
export function webhookAuthor(chat: Chat, webhook: ChannelWebhookRow, name: string, picture: string | null): UserRow {
  const found = chat.sql.get<UserRow>(
    'SELECT * FROM users WHERE webhook_id = ? AND display_name = ? AND avatar_url IS ?',
    webhook.id,
    name,
    picture,
  )
  if (found) return found
  const id = name === webhook.name && picture === webhook.avatar_url ? webhook.id : newId()
  // Usernames cannot contain a colon, so these authors cannot be found by name and cannot collide with users.
  chat.sql.run(
    'INSERT INTO users (id, username, display_name, avatar_url, created_at, bot, accepts_dms, webhook_id, creator_id) VALUES (?, ?, ?, ?, ?, 1, 0, ?, ?)',
    id,
    `webhook:${id}`,
    name,
    picture,
    chat.clock.now(),
    webhook.id,
    webhook.creator_id,
  )
  return findUser(chat, id)!
}
