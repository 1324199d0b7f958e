// `messagesForModel`: the latest messages of a channel, as language models take a conversation.

import type { Author, Embed, Message } from '@botwright/protocol/shapes'
import { BotwrightError, characters as count, cut, limits } from '@botwright/protocol/facts'
import type { Context } from '../../author/context.ts'

/** A message of a conversation, in the form that most models take. */
export interface ModelMessage {
  /** `'assistant'`: written by this bot. */
  role: 'user' | 'assistant'
  /** The author's name. */
  name: string
  /** The text. A person's text begins with the name: `ann: hello`, or `ann, to bob: hello` if it replies to a message of the conversation. */
  content: string
}

/** How much of a channel `messagesForModel` returns. */
export interface ModelMessagesOptions {
  /** The number of messages, up to 100. Default 20. */
  last?: number
  /** The most characters in all; older messages that do not fit are left out. Default 8000. */
  characters?: number
}

/**
 * The latest messages of the event's channel, oldest first, for a language model. After a message or a command, the last one is that message. Mentions
 * are names, and embeds are text. Throws `ERR_INVALID_REQUEST` if the event has no channel, or if a number is out of range.
 */
export async function messagesForModel(ctx: Context, options: ModelMessagesOptions = {}): Promise<ModelMessage[]> {
  const { last = 20, characters = 8000 } = options
  const { channel_id } = ctx
  const most = limits.messages_page.max
  if (channel_id === null) throw refusal(ctx, 'requires an event of a channel')
  if (!Number.isInteger(last) || last < 1 || last > most)
    throw refusal(ctx, `last must be a whole number from 1 to ${most}`)
  if (!Number.isInteger(characters) || characters < 1)
    throw refusal(ctx, 'characters must be a whole number greater than 0')
  const { messages, authors = [] } = await ctx.api.messages.list({ channel_id, limit: last, ...upToEvent(ctx) })
  const all = messages.flatMap((message) => modelMessage(message, { messages, authors, me: ctx.me.id }) ?? [])
  const kept: ModelMessage[] = []
  let left = characters
  for (const message of all.toReversed()) {
    if (kept.length > 0 && count(message.content) > left) break
    const content = cut(message.content, left)
    kept.unshift({ ...message, content })
    left -= count(content)
  }
  return kept
}

const refusal = ({ file }: Context, fact: string) =>
  new BotwrightError('ERR_INVALID_REQUEST', `${file}: messagesForModel ${fact}`)

/** Excludes what was written after the message that the handler answers, such as its own reply. */
function upToEvent({ envelope, event }: Context): { before?: string } {
  if (envelope.type !== 'message' || typeof event['created_at'] !== 'string') return {}
  return { before: new Date(Date.parse(event['created_at']) + 1).toISOString() }
}

interface Conversation {
  messages: readonly Message[]
  authors: readonly Author[]
  me: string
}

/** Undefined for a message without text. */
function modelMessage(message: Message, conversation: Conversation): ModelMessage | undefined {
  const name = nameOf(message, conversation)
  const text = textOf(message, conversation)
  if (text === '') return undefined
  if (message.author_id === conversation.me) return { role: 'assistant', name, content: text }
  const answered = conversation.messages.find(({ id }) => id === message.reply_to_id)
  const to = answered ? `, to ${nameOf(answered, conversation)}` : ''
  return { role: 'user', name, content: `${name}${to}: ${text}` }
}

/** Of a message that REST returns, only the id is certain. */
type Loose<T> = { [K in keyof T]?: T[K] | null }

function nameOf({ author_id, author }: Message, { authors }: Conversation): string {
  const person = authors.find(({ id }) => id === author_id)
  // An object in some services (decisions row 5).
  const { display_name, username = author } = (author ?? {}) as Loose<Author>
  return person?.display_name ?? display_name ?? username ?? person?.username ?? author_id
}

function textOf({ content, embeds, attachment }: Loose<Message>, { authors }: Conversation): string {
  const named = (content ?? '').replaceAll(/<@([0-9a-f-]{36})>/gi, (mention, id: string) => {
    const person = authors.find((author) => author.id === id.toLowerCase())
    return person ? `@${person.display_name ?? person.username}` : mention
  })
  const parts = [named, ...(embeds ?? []).map(embedText), attachment ? `[attachment: ${attachment}]` : '']
  return parts.filter((part) => part !== '').join('\n')
}

function embedText({ title, description, fields }: Embed): string {
  const rows = (fields ?? []).map(({ name, value }) => `${name}: ${value}`)
  return [title, description, ...rows].filter((line) => typeof line === 'string' && line !== '').join('\n')
}
