import type { Embed } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import { foldTyped } from '@botwright/protocol/typed-text'
import type { ChannelRow, MessageRow } from '../db/rows.ts'
import type { Mention } from '../markdown/parser.ts'
import { mayHaveFormatting, plainText } from '../markdown/read.ts'
import { findMember } from '../store/access.ts'
import { messageView } from '../store/messages.ts'
import { authorView, findUser } from '../store/users.ts'
import { channelsSeenBy } from './newest.ts'

/** Messages read by one call: it takes some milliseconds, and other calls run between two of them. */
const READ = 5_000
/** Characters parsed by one call, for the same reason. */
const PARSED = 20_000

interface Query {
  text?: string | undefined
  server_id?: string | undefined
  channel_id?: string | undefined
  author_id?: string | undefined
  before?: number | undefined
  limit: number
}

/** One text of a message that people can read; `inline` is a title, `literal` has no formatting. */
interface Readable {
  text: string
  form?: 'inline' | 'literal'
}

/** The texts of a message that people can read. */
function textsOf({ content, embeds }: Pick<MessageRow, 'content' | 'embeds'>): Readable[] {
  if (embeds === '[]') return [{ text: content }]
  const parts = (JSON.parse(embeds) as Embed[]).flatMap(({ author, title, url, description, fields, footer }) => [
    { text: author?.name, form: 'literal' as const },
    { text: title, form: url === undefined ? ('inline' as const) : ('literal' as const) },
    { text: description },
    ...(fields ?? []).flatMap(({ name, value }) => [{ text: name, form: 'inline' as const }, { text: value }]),
    { text: footer?.text, form: 'literal' as const },
  ])
  return [{ text: content }, ...parts.filter((part): part is Readable => part.text !== undefined)]
}

/** A text without differences that people do not see or type: blanks, apostrophes, composed and decomposed letters, upper case. */
const folded = (text: string): string =>
  foldTyped(text)
    .replace(/[\p{Cf}\u034F]/gu, '')
    .replace(/[\u2018\u2019\u02BC]/g, "'")
    .replace(/[\u201C\u201D]/g, '"')
    .replace(/\s+/g, ' ')

/** Whether a message contains a text: as people see it, by its usernames, or as it was written. */
class Matcher {
  readonly #chat: Chat
  /** The channels that the person can see: the names of others remain unknown. */
  readonly #seen: ReadonlyMap<string, ChannelRow>
  /** Undefined: every message matches. */
  readonly #needle: string | undefined
  /** The number of characters that were parsed. */
  parsed = 0

  constructor(chat: Chat, seen: ReadonlyMap<string, ChannelRow>, text: string | undefined) {
    this.#chat = chat
    this.#seen = seen
    this.#needle = text === undefined ? undefined : folded(text)
  }

  matches(row: MessageRow, channel: ChannelRow): boolean {
    if (this.#needle === undefined) return true
    return textsOf(row).some(({ text, form }) => {
      if (this.#has(text)) return true
      if (form === 'literal' || !mayHaveFormatting(text)) return false
      this.parsed += text.length
      const inline = form === 'inline'
      const mentioned: Mention[] = []
      const shown = plainText(text, (each) => (mentioned.push(each), this.#shownName(each, channel)), { inline })
      if (this.#has(shown)) return true
      return (
        mentioned.some(({ sign }) => sign === '@') &&
        this.#has(plainText(text, (each) => this.#username(each, channel), { inline }))
      )
    })
  }

  #has(text: string): boolean {
    return !!this.#needle && folded(text).includes(this.#needle)
  }

  #shownName({ sign, id }: Mention, { server_id }: ChannelRow): string {
    if (sign === '#') return `#${this.#seen.get(id)?.name ?? 'unknown'}`
    if (sign === '@&')
      return `@${this.#chat.sql.get<{ name: string }>('SELECT name FROM roles WHERE id = ?', id)?.name ?? 'unknown role'}`
    const user = findUser(this.#chat, id)
    const member = server_id === null ? undefined : findMember(this.#chat, server_id, id)
    return `@${member?.nickname ?? user?.display_name ?? user?.username ?? 'unknown'}`
  }

  #username(mention: Mention, channel: ChannelRow): string {
    const user = mention.sign === '@' ? findUser(this.#chat, mention.id) : undefined
    return user ? `@${user.username}` : this.#shownName(mention, channel)
  }
}

/**
 * The newest messages that contain a text, if one is given, as it is shown, whatever its case, in the channels that the person can see. `next` continues with
 * older messages; it is null at the oldest one, and a call may find nothing before that.
 */
export function searchMessages(chat: Chat, viewerId: string, query: Query) {
  const { server_id, channel_id, author_id, limit } = query
  const channels = new Map(channelsSeenBy(chat, viewerId).map((each) => [each.id, each]))
  const isSearched = (each: ChannelRow) =>
    (channel_id ?? each.id) === each.id && (server_id ?? each.server_id) === each.server_id
  const matcher = new Matcher(chat, channels, query.text)
  const rows = chat.sql.all<MessageRow & { seq: number }>(
    'SELECT * FROM messages WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    query.before ?? Number.MAX_SAFE_INTEGER,
    READ,
  )
  const found: MessageRow[] = []
  let last: number | undefined
  for (const row of rows) {
    if (found.length === limit || matcher.parsed > PARSED) break
    last = row.seq
    const channel = channels.get(row.channel_id)
    const isWanted = channel && isSearched(channel) && (author_id ?? row.author_id) === row.author_id
    if (isWanted && matcher.matches(row, channel)) found.push(row)
  }
  const readAll = last === rows.at(-1)?.seq && rows.length < READ
  const authors = [...new Set(found.map((row) => row.author_id))].map((id) => authorView(findUser(chat, id)!))
  return {
    messages: found.map((row) => messageView(chat, row, channels.get(row.channel_id)!, viewerId)),
    authors,
    next: readAll ? null : last!,
  }
}
