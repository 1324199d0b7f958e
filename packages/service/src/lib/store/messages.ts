import { type ActionRow, type Embed, hasContent, type Message, type Reaction } from '@botwright/protocol'
import { skipUnseen, timeMs } from '@botwright/protocol/typed-text'
import type { Chat } from '../chat.ts'
import { iso, isoOrNull } from '../iso-time.ts'
import { checkContent, checkPictures } from '../rules/content-rules.ts'
import type { ChannelRow, MessageRow, UserRow } from '../db/rows.ts'
import { emit } from './emit.ts'
import { notFound, Refusal } from '../refusal.ts'
import { mentions, type Pings } from './mentions.ts'
import { newId } from '../tokens.ts'
import { botsIn } from './access.ts'
import { insertAttachment, newUploadUrl, type Picture } from './uploads.ts'
import { authorView, findUser, usernameOf } from './users.ts'
import { notifyChannel } from './notify.ts'

/** The parts of a message; `undefined` means omitted. */
export interface MessageParts {
  content?: string | null | undefined
  embeds?: readonly Embed[] | null | undefined
  components?: readonly ActionRow[] | null | undefined
  reply_to?: string | undefined
  /** The picture of a person's message; content is then optional. */
  picture?: Picture | undefined
  /** The pings, if they are not simply the mentioned users. */
  pings?: Pings
}

export function findMessage(chat: Chat, channelId: string, id: string): MessageRow {
  const found = chat.sql.get<MessageRow>('SELECT * FROM messages WHERE id = ? AND channel_id = ?', id, channelId)
  if (!found) throw notFound('message')
  return found
}

export function reactionsOf(chat: Chat, messageId: string, viewerId: string): Reaction[] {
  const found = new Map<string, string[]>()
  const rows = chat.sql.all<{ emoji: string; user_id: string }>(
    'SELECT emoji, user_id FROM reactions WHERE message_id = ? ORDER BY seq',
    messageId,
  )
  for (const { emoji, user_id } of rows) found.set(emoji, [...(found.get(emoji) ?? []), user_id])
  return [...found].map(([emoji, user_ids]) => ({
    emoji,
    count: user_ids.length,
    me: user_ids.includes(viewerId),
    user_ids,
  }))
}

/** The fields of a message that its event has, too (§6). */
function messageFields(
  row: MessageRow,
  { channel, author, mentioned }: { channel: ChannelRow; author: UserRow; mentioned: boolean },
) {
  return {
    id: row.id,
    channel_id: channel.id,
    channel_name: channel.name,
    server_id: channel.server_id,
    author_id: author.id,
    author: usernameOf(author),
    content: row.content,
    attachment: row.attachment,
    reply_to_id: row.reply_to_id,
    created_at: iso(row.created_at),
    mentioned,
    author_bot: author.bot === 1,
  }
}

/** A message in responses (decisions row 6). */
export function messageView(chat: Chat, row: MessageRow, channel: ChannelRow, viewerId: string): Message {
  return {
    ...messageFields(row, {
      channel,
      author: findUser(chat, row.author_id)!,
      mentioned: mentions(chat, row, channel, viewerId),
    }),
    embeds: JSON.parse(row.embeds) as Embed[],
    components: JSON.parse(row.components) as ActionRow[],
    pinned: row.pinned === 1,
    edited_at: isoOrNull(row.edited_at),
    reactions: reactionsOf(chat, row.id, viewerId),
  }
}

/** A possible command at the start of a text (§2, Command; decisions row 4). */
function commandIn(content: string): { command: string; args: string } | undefined {
  const [before = '', command] = /^[/!]([a-z0-9_-]+)/.exec(content.slice(skipUnseen(content))) ?? []
  if (command === undefined) return undefined
  const args = content.slice(skipUnseen(content, skipUnseen(content) + before.length))
  return args === '' || /^\s/.test(args) ? { command, args: args.trim() } : undefined
}

/** Stores a message and notifies everyone who can see the channel. Callers check the posting rules first. */
export function insertMessage(chat: Chat, channel: ChannelRow, author: UserRow, parts: MessageParts): MessageRow {
  const embeds = parts.embeds ?? []
  checkPictures(chat, embeds)
  checkContent(chat, author, { content: parts.content, embeds, components: parts.components })
  if (parts.reply_to !== undefined) {
    const target = chat.sql.get('SELECT 1 FROM messages WHERE id = ? AND channel_id = ?', parts.reply_to, channel.id)
    if (!target) throw new Refusal(400, 'reply_to: no such message in this channel')
  }
  const last = chat.sql.get<{ at: number | null }>(
    'SELECT max(created_at) AS at FROM messages WHERE channel_id = ?',
    channel.id,
  )
  const values = {
    id: newId(),
    channel_id: channel.id,
    author_id: author.id,
    content: parts.content ?? '',
    attachment: parts.picture ? newUploadUrl(chat, parts.picture) : null,
    reply_to_id: parts.reply_to ?? null,
    embeds: JSON.stringify(embeds),
    components: JSON.stringify(parts.components ?? []),
    // Times are strictly increasing within a channel, so that paging by time (§4, Messages) neither skips nor repeats messages.
    created_at: Math.max(chat.clock.now(), (last?.at ?? 0) + 1),
    posted_at: chat.clock.now(),
    pings: parts.pings ? JSON.stringify(parts.pings) : null,
  }
  const { lastInsertRowid: seq } = chat.sql.run(
    'INSERT INTO messages (id, channel_id, author_id, content, attachment, reply_to_id, embeds, components, created_at, posted_at, pings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...Object.values(values),
  )
  if (parts.picture) {
    insertAttachment(chat, values.attachment!, parts.picture, { messageId: values.id, authorId: author.id })
  }
  const row: MessageRow = { ...values, seq, pinned: 0, edited_at: null }
  const found = commandIn(row.content)
  const targets = botsIn(chat, channel)
    .filter(({ botId }) => botId !== author.id)
    .map(({ botId, commands }) => {
      const mentioned = mentions(chat, row, channel, botId)
      const command = found && commands.has(found.command) ? found : undefined
      return { botId, own: mentioned || command ? { mentioned, ...command } : undefined }
    })
  emit(chat, 'message', messageFields(row, { channel, author, mentioned: false }), targets)
  notifyMessage(chat, 'message_create', channel, row)
  return row
}

export function notifyMessage(
  chat: Chat,
  type: 'message_create' | 'message_update',
  channel: ChannelRow,
  row: MessageRow,
): void {
  const author = authorView(findUser(chat, row.author_id)!)
  notifyChannel(chat, channel, type, (viewerId) => ({
    channel_id: channel.id,
    server_id: channel.server_id,
    message: messageView(chat, row, channel, viewerId),
    author,
  }))
}

/** Edits a message: omitted parts stay, `null` removes; changing only the buttons does not mark it as edited (§4, Messages). */
export function editMessage(chat: Chat, channel: ChannelRow, row: MessageRow, parts: MessageParts): MessageRow {
  const content = parts.content === undefined ? row.content : (parts.content ?? '')
  const embeds = parts.embeds === undefined ? row.embeds : JSON.stringify(parts.embeds ?? [])
  const components = parts.components === undefined ? row.components : JSON.stringify(parts.components ?? [])
  if (row.attachment === null && !hasContent({ content, embeds: JSON.parse(embeds) as unknown[] })) {
    throw new Refusal(400, 'content: a message needs content or embeds; this edit would remove both')
  }
  checkPictures(chat, parts.embeds ?? [])
  checkContent(chat, findUser(chat, row.author_id)!, {
    content: parts.content,
    embeds: parts.embeds,
    components: parts.components,
  })
  const edited = content !== row.content || embeds !== row.embeds
  chat.sql.run(
    'UPDATE messages SET content = ?, embeds = ?, components = ?, edited_at = ? WHERE id = ?',
    content,
    embeds,
    components,
    edited ? chat.clock.now() : row.edited_at,
    row.id,
  )
  const changed = findMessage(chat, channel.id, row.id)
  notifyMessage(chat, 'message_update', channel, changed)
  return changed
}

export function deleteMessage(chat: Chat, channel: ChannelRow, id: string): void {
  chat.sql.run('DELETE FROM messages WHERE id = ?', id)
  notifyChannel(chat, channel, 'message_delete', () => ({
    channel_id: channel.id,
    server_id: channel.server_id,
    message_id: id,
  }))
}

interface PageQuery {
  limit: number
  before?: string | undefined
  after?: string | undefined
}

/** A page of messages, oldest first; `after` pages forward, otherwise pages go backward from the newest. */
export function listMessages(chat: Chat, channel: ChannelRow, query: PageQuery, viewerId: string) {
  const order = query.after === undefined ? 'DESC' : 'ASC'
  const rows = chat.sql.all<MessageRow>(
    `SELECT * FROM messages WHERE channel_id = ? AND created_at > ? AND created_at < ? ORDER BY created_at ${order} LIMIT ?`,
    channel.id,
    query.after === undefined ? -1 : timeMs(query.after).floor,
    query.before === undefined ? Number.MAX_SAFE_INTEGER : timeMs(query.before).ceil,
    query.limit,
  )
  if (order === 'DESC') rows.reverse()
  const authors = [...new Set(rows.map((row) => row.author_id))].map((id) => authorView(findUser(chat, id)!))
  return { messages: rows.map((row) => messageView(chat, row, channel, viewerId)), authors }
}
