import type { Context, Next } from 'hono'
import { systemClock } from '@botwright/clock'
import { type EventData, limits } from '@botwright/protocol'
import { BoundedMap, shortened } from '@botwright/protocol/facts'
import type { Chat } from '../chat.ts'
import { newestEvents } from '../db/events.ts'
import type { UserRow } from '../db/rows.ts'
import { runLogged } from '../failures.ts'
import type { Inspection } from '../inspection.ts'
import { inspectorBounds } from '../people-api/bounds.ts'
import { iso } from '../iso-time.ts'
import type { BotCall, BotEvent, BotJournal, BotUsage } from '../people-api/resources.ts'
import { Refusal } from '../refusal.ts'
import { hashToken } from '../tokens.ts'
import { callWarnings } from './warnings.ts'

/** Bounds of the calls kept in memory: how many bots, and the length of each text. */
const BOTS = 16
const TEXT = 4096

const POLL = '/v1/events'
const callbackId = (path: string): string | undefined => /^\/v1\/interactions\/([^/]+)\//.exec(path)?.[1]?.toLowerCase()

const botToken = (header: string | undefined): string | undefined => /^Bot +(\S+)$/i.exec(header ?? '')?.[1]

interface InteractionUse {
  id: string
  custom_id: string
  username: string
  created_at: number
  answers: number
  answered_at: number | null
}

/**
 * The journal of bots for their owners: events, calls and used limits. Contains no tokens, neither the bot's nor
 * those of interactions.
 */
export class Inspector implements Inspection {
  readonly #getChat: () => Chat
  /** By bot, the most recent caller last. */
  readonly #calls = new BoundedMap<string, BotCall[]>(BOTS)
  /** The bots that are open in a page, with their owners. */
  readonly #watched = new Map<string, string>()
  #lastId = 0

  /** `chat` is a function because the chat refers to the inspector. */
  constructor(chat: () => Chat) {
    this.#getChat = chat
  }

  get #chat(): Chat {
    return this.#getChat()
  }

  clear(): void {
    this.#calls.clear()
    this.#watched.clear()
  }

  watch(botId: string, ownerId: string): BotJournal {
    this.#watched.set(botId, ownerId)
    const events = newestEvents(this.#chat.sql, botId, inspectorBounds.events).map((event) => ({
      ...event,
      data: JSON.parse(event.data) as { user_id?: string },
    }))
    const users = new Set(events.flatMap(({ data }) => data.user_id ?? []))
    return {
      now: iso(this.#chat.clock.now()),
      calls: this.#calls.get(botId) ?? [],
      events: events.map(({ id, type, data, created_at }) => eventEntry(id, type, data, created_at)),
      // Only bots can be deleted.
      bots: [...users].filter((id) => this.#chat.directory.user(id)?.bot !== 0),
      usage: this.#usage(botId),
    }
  }

  event(botId: string, { id, event, data: read }: { id: number; event: string; data: () => EventData }): void {
    const ownerId = this.#watcher(botId)
    if (ownerId === undefined) return
    const data = read()
    const entry = eventEntry(id, event, data, this.#chat.clock.now())
    const { channel_id, server_id } = data
    this.#chat.stream.send(ownerId, 'bot_event', {
      channel_id,
      server_id,
      bot_id: botId,
      event: entry,
      usage: this.#usage(botId),
    })
  }

  /** Records each call under `/v1` with its response. Polls are frequent and contain little, so they are sent to pages but not kept. */
  readonly middleware = async (context: Context, next: Next): Promise<void> => {
    // Use the system clock: the chat's clock may be virtual.
    const startMs = systemClock.monotonic()
    await next()
    runLogged('the inspector', () => this.#note(context, startMs))
  }

  #note(context: Context, startMs: number): void {
    const poll = context.req.path === POLL
    // A closed connection has no response.
    if (context.get('fault') === 'close') return
    const actor = (context.get('actor') as UserRow | undefined) ?? this.#callerByToken(context)
    if (poll && (actor === undefined || !this.#watched.has(actor.id))) return
    const botId = actor?.bot === 1 ? actor.id : this.#botOfCallback(context.req.path)
    if (botId === undefined) return
    const call = this.#describe(context, botId, Math.round(systemClock.monotonic() - startMs))
    if (!poll) this.#keep(botId, call)
    const ownerId = this.#watcher(botId)
    if (ownerId === undefined || this.#chat.closed) return
    const update = { channel_id: null, server_id: null, bot_id: botId, call, usage: this.#usage(botId) }
    this.#chat.stream.send(ownerId, 'bot_call', update)
  }

  #watcher(botId: string): string | undefined {
    const ownerId = this.#watched.get(botId)
    if (ownerId === undefined) return undefined
    if (this.#chat.stream.listens(ownerId)) return ownerId
    this.#watched.delete(botId)
    return undefined
  }

  /** The caller of an unknown or invalid path, of an invalid query, or of a call that a fault switch replaces: the router did not identify it. */
  #callerByToken({ req }: Context): UserRow | undefined {
    const token = botToken(req.header('authorization'))
    if (token === undefined || this.#chat.closed) return undefined
    return this.#chat.directory.botByToken(hashToken(token))
  }

  /** An answer to a click is authorized by its path (§5.7): the caller is the bot whose button was clicked. */
  #botOfCallback(path: string): string | undefined {
    const id = callbackId(path)
    if (id === undefined || this.#chat.closed) return undefined
    return this.#chat.sql.get<{ bot_id: string }>('SELECT bot_id FROM interactions WHERE id = ?', id)?.bot_id
  }

  #describe(context: Context, botId: string, took_ms: number): BotCall {
    const { req, res, error } = context
    const token = botToken(req.header('authorization'))
    const path = req.path.replace(/^(\/v1\/interactions\/[^/]+\/)[^/]+/, '$1…')
    const query = new URL(req.url).search
    const sent: unknown = context.get('sent')
    const refused = error instanceof Refusal ? { error: error.message } : undefined
    const answer: unknown = refused ?? (context.get('answer') as unknown)
    const clean = (text: string): string => (token === undefined ? text : text.replaceAll(token, '…'))
    const status = res.status
    const answeredInMs = this.#firstAnswerMs(req.path, status)
    return {
      id: ++this.#lastId,
      at: iso(this.#chat.clock.now()),
      bot_id: botId,
      method: req.method,
      path: clean(path + query),
      sent: sent === undefined ? null : clean(shortJson(sent)),
      status,
      answer: answer === undefined ? null : clean(shortJson(answer)),
      took_ms,
      retry_after: Number(res.headers.get('retry-after') ?? 0) || null,
      warnings: callWarnings({ method: req.method, path: req.path, sent, status, answeredInMs }),
    }
  }

  /** How long the clicker waited, if this call was the first answer to the click. */
  #firstAnswerMs(path: string, status: number): number | undefined {
    const id = callbackId(path)
    if (id === undefined || status >= 300 || this.#chat.closed) return undefined
    const found = this.#chat.sql.get<{ waited: number; answers: number }>(
      `SELECT a.created_at - i.created_at AS waited, count(*) AS answers FROM interactions i
         JOIN answers a ON a.interaction_id = i.id WHERE i.id = ?`,
      id,
    )
    return found?.answers === 1 ? found.waited : undefined
  }

  #keep(botId: string, call: BotCall): void {
    const calls = this.#calls.get(botId) ?? []
    calls.push(call)
    if (calls.length > inspectorBounds.calls) calls.shift()
    this.#calls.set(botId, calls)
  }

  #usage(botId: string): BotUsage {
    const { messages, interaction } = limits
    const now = this.#chat.clock.now()
    const leave = this.#chat.rates.leavesInMs(`messages ${botId}`, messages)
    const open = this.#chat.sql.all<InteractionUse>(
      `SELECT i.id, i.custom_id, u.username, i.created_at, count(a.seq) AS answers, min(a.created_at) AS answered_at
         FROM interactions i JOIN users u ON u.id = i.user_id LEFT JOIN answers a ON a.interaction_id = i.id
        WHERE i.bot_id = ? AND i.created_at > ? GROUP BY i.id ORDER BY i.created_at DESC LIMIT 5`,
      botId,
      now - interaction.open_seconds * 1000,
    )
    return {
      now: iso(now),
      messages: { of: messages.requests, used_until: leave.map((ms) => iso(now + ms)) },
      interactions: open.map((each) => ({
        id: each.id,
        custom_id: each.custom_id,
        username: each.username,
        created_at: iso(each.created_at),
        answer_until: iso(each.created_at + interaction.answer_seconds * 1000),
        open_until: iso(each.created_at + interaction.open_seconds * 1000),
        answers: each.answers,
        of: interaction.answers,
        answered_at: each.answered_at === null ? null : iso(each.answered_at),
      })),
    }
  }
}

function eventEntry(id: number, type: string, data: object, createdAt: number): BotEvent {
  const shown = 'token' in data ? { ...data, token: '…' } : data
  return { id, type, data: shortJson(shown), at: iso(createdAt) }
}

/** JSON of a value, truncated if it is long. For display only. */
function shortJson(value: unknown): string {
  return shortened(JSON.stringify(value), TEXT)
}
