import type { Context, Next } from 'hono'
import type { Chat } from '../chat.ts'
import type { UserRow } from '../db/rows.ts'
import { logFailure } from '../log-failure.ts'
import { hashToken } from '../tokens.ts'

/** One call of a bot with its response. */
export interface JournalEntry {
  at: string
  bot: string | null
  method: string
  path: string
  body?: unknown
  status: number
  answer: unknown
  /** The fault switch that changed the response; for a closed connection, nothing else is known. */
  fault?: string
}

const KEPT = 5000

const HIDDEN = '…'

/** Every call of every bot, in the order of their responses. Contains no tokens, neither the bots' nor those of interactions. */
export class Journal {
  readonly #chat: Chat
  readonly entries: JournalEntry[] = []

  constructor(chat: Chat) {
    this.#chat = chat
  }

  readonly middleware = async (context: Context, next: Next): Promise<void> => {
    await next()
    await this.#note(context).catch((error: unknown) => logFailure('service: the journal of calls failed:', error))
  }

  async #note(context: Context): Promise<void> {
    const { res } = context
    const token = /^Bot +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
    const hide = (text: string) => (token === undefined ? text : text.replaceAll(token, HIDDEN))
    // Use what the router read: reading the request would wait for bodies that were refused unread.
    const known = context as Context<{
      Variables: { actor?: UserRow; sent?: unknown; answer?: unknown; fault?: string }
    }>
    const sent = known.get('sent')
    const fault = known.get('fault')
    // Reading a copy of the response is as expensive as creating it, so read only those that the router did not create.
    const made = fault === undefined && context.error === undefined ? known.get('answer') : undefined
    const answer = async () => (made === undefined ? res.clone().text() : JSON.stringify(made))
    this.entries.push({
      at: new Date(this.#chat.clock.now()).toISOString(),
      bot: known.get('actor')?.username ?? this.#botOf(token, context.req.path),
      method: context.req.method,
      path: hide(context.req.path.replace(/^(\/v1\/interactions\/[^/]+\/)[^/]+/, `$1${HIDDEN}`)),
      ...(sent !== undefined && { body: parsed(hide(JSON.stringify(sent))) }),
      status: res.status,
      answer: fault === 'close' ? null : parsed(hide(await answer())),
      ...(fault !== undefined && { fault }),
    })
    if (this.entries.length > KEPT) this.entries.shift()
  }

  /** The bot that called, by its token or by the click that it answers (§5.7). */
  #botOf(token: string | undefined, path: string): string | null {
    const click = /^\/v1\/interactions\/([^/]+)\//.exec(path)?.[1]
    const [from, key] =
      click === undefined
        ? ['bots b JOIN users u ON u.id = b.user_id WHERE b.token_hash = ?', hashToken(token ?? '')]
        : ['interactions i JOIN users u ON u.id = i.bot_id WHERE i.id = ?', click.toLowerCase()]
    return this.#chat.sql.get<UserRow>(`SELECT u.* FROM ${from}`, key)?.username ?? null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (key === 'token' ? HIDDEN : value)) as unknown
  } catch {
    return text
  }
}
