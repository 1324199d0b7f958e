import { type Clock, elapsedOf } from '@botwright/clock'
import { eventWebhookHeaders, limits, signEventWebhook } from '@botwright/protocol'
import { withOwn } from '../db/events.ts'
import type { Sql } from '../db/sql.ts'
import { isEventWebhookUrl } from './public-address.ts'
import { type EventPost, type EventPostOptions, postEvent } from './event-post.ts'
import { type Resolve, resolveName } from './resolve.ts'
import { logFailure } from '../log-failure.ts'

/** Maximum number of events queued per bot; beyond it the oldest are not posted. Polling still returns them. */
export const MAX_QUEUED = 1000

interface Due {
  url: string
  secret: string
  type: string
  data: string
  own: string | null
}

interface DeliveryOptions {
  /** Whether receivers may be on this machine. */
  allowLoopback: boolean
  resolve?: Resolve
  /** Posts one event. Default: HTTP. */
  post?: PostEvent
}

/** Posts an event once. Resolves on any response. */
export type PostEvent = (event: EventPost, options: EventPostOptions) => Promise<void>

/**
 * Posts events to the owners' URLs (§4, Event webhook delivery): per bot in order, one at a time, within 3 seconds, without retries.
 * Only ids are queued in memory. The event and the URL are read just before posting, so a new URL or secret takes effect right away.
 */
export class Deliveries {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #options: Required<DeliveryOptions>
  /** Whether a bot has an event webhook. */
  readonly #wanted: (botId: string) => boolean
  readonly #waiting = new Map<string, number[]>()
  readonly #posting = new Set<AbortController>()
  #closed = false

  constructor(sql: Sql, clock: Clock, { allowLoopback, resolve = resolveName, post = postEvent }: DeliveryOptions) {
    this.#sql = sql
    this.#wanted = sql.cached(
      ['bots'],
      (botId) => sql.get('SELECT 1 FROM bots WHERE user_id = ? AND webhook_url IS NOT NULL', botId) !== undefined,
    )
    this.#clock = clock
    this.#options = { allowLoopback, resolve, post }
  }

  /** Whether events may be sent to a URL: public https, or also this machine if allowed. */
  accepts(url: string): boolean {
    return isEventWebhookUrl(url, this.#options.allowLoopback)
  }

  /** Queues an event of a bot for posting, if the bot has an event webhook. */
  deliver(botId: string, eventId: number): void {
    const waiting = this.#waiting.get(botId)
    if (waiting) {
      waiting.push(eventId)
      if (waiting.length > MAX_QUEUED) waiting.shift()
      return
    }
    if (this.#closed || !this.#wanted(botId)) return
    this.#waiting.set(botId, [eventId])
    void this.#postAll(botId)
  }

  async #postAll(botId: string): Promise<void> {
    const waiting = this.#waiting.get(botId)
    for (let id = waiting?.shift(); id !== undefined && !this.#closed; id = waiting?.shift()) {
      const due = this.#due(botId, id)
      if (due) await this.#post(botId, id, due)
    }
    if (this.#waiting.get(botId) === waiting) this.#waiting.delete(botId)
  }

  /** The post for an event; undefined if the event, its bot or its webhook no longer exists, or the bot is banned. */
  #due(botId: string, id: number): Due | undefined {
    try {
      return this.#sql.get<Due>(
        `SELECT b.webhook_url AS url, b.webhook_secret AS secret, e.type, e.data, t.own
         FROM targets t JOIN events e ON e.id = t.event_id JOIN bots b ON b.user_id = t.bot_id JOIN users u ON u.id = b.user_id
         WHERE t.id = ? AND t.bot_id = ? AND b.webhook_url IS NOT NULL AND u.banned = 0`,
        id,
        botId,
      )
    } catch (error) {
      logFailure(`service: event ${id} was not posted to its event webhook:`, error)
      return undefined
    }
  }

  async #post(botId: string, id: number, { url, secret, type, data, own }: Due): Promise<void> {
    // Exactly `{id, event, data}` (decisions row 20), with the same JSON data as polling.
    const body = `{"id":${id},"event":${JSON.stringify(type)},"data":${withOwn(data, own)}}`
    const headers = {
      'content-type': 'application/json',
      [eventWebhookHeaders.bot]: botId,
      [eventWebhookHeaders.signature]: signEventWebhook(secret, body),
    }
    const end = new AbortController()
    this.#posting.add(end)
    // The receiver's time: moving the clock must not end a post.
    const timer = elapsedOf(this.#clock).after(limits.event_webhook_delivery.seconds * 1000, () => end.abort())
    // No retry and no error (§4): if the receiver is down or slow, polling still returns the event.
    await this.#options.post({ url, headers, body }, { ...this.#options, signal: end.signal }).catch(() => undefined)
    timer.cancel()
    this.#posting.delete(end)
  }

  /** Clears the queues after the events were deleted. */
  clear(): void {
    for (const waiting of this.#waiting.values()) waiting.length = 0
  }

  /** Aborts running posts. */
  close(): void {
    this.#closed = true
    for (const end of this.#posting) end.abort()
  }
}
