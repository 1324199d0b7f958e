import type { Context, Next } from 'hono'
import type { Chat } from './chat.ts'
import type { UserRow } from './db/rows.ts'
import { hashToken } from './tokens.ts'

/** One call of a bot with its answer. */
export interface JournalEntry {
  at: string
  bot: string | null
  method: string
  path: string
  body?: unknown
  status: number
  answer: unknown
}

const KEPT = 5000

/** Every call of every bot, in the order of their answers. Path tokens are left out. */
export class Journal {
  readonly #chat: Chat
  readonly entries: JournalEntry[] = []

  constructor(chat: Chat) {
    this.#chat = chat
  }

  readonly middleware = async (context: Context, next: Next): Promise<void> => {
    await next()
    const { res } = context
    const token = /^Bot +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
    const bot =
      token === undefined
        ? undefined
        : this.#chat.sql.get<UserRow>(
            'SELECT u.* FROM bots b JOIN users u ON u.id = b.user_id WHERE b.token_hash = ?',
            hashToken(token),
          )
    // What the router read: asking the request itself would wait for bodies that were refused unread.
    const sent = (context as Context<{ Variables: { sent?: unknown } }>).get('sent')
    this.entries.push({
      at: new Date(this.#chat.clock.now()).toISOString(),
      bot: bot?.username ?? null,
      method: context.req.method,
      path: context.req.path.replace(/^(\/v1\/interactions\/[^/]+\/)[^/]+/, '$1…'),
      ...(sent !== undefined && { body: sent }),
      status: res.status,
      answer: parsed(await res.clone().text()),
    })
    if (this.entries.length > KEPT) this.entries.shift()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
