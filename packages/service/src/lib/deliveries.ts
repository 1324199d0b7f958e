import type { Clock } from '@botwright/clock'
import { eventWebhookHeaders, limits, signEventWebhook } from '@botwright/protocol'
import type { Sql } from './db/sql.ts'
import { isEventWebhookUrl } from './public-address.ts'
import { postEvent } from './webhooks/event-post.ts'
import { type Resolve, resolveName } from './webhooks/resolve.ts'
import { logFailure } from './log-failure.ts'

/** How many events wait for the receiver of one bot; of more, the oldest are not posted. Polling has them all. */
export const MOST_WAITING = 1000

interface Due {
  url: string
  secret: string
  type: string
  data: string
}

interface DeliveryOptions {
  /** Whether receivers may stand on this machine. */
  allowLoopback: boolean
  resolve?: Resolve
}

/**
 * Posts events to the owners' addresses (§4, Event webhook delivery): for each bot in order and one at a time, 3 seconds each, never again.
 * Only ids wait in memory. What is posted, and where, is read when it is its turn: a new URL or secret holds at once.
 */
export class Deliveries {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #options: Required<DeliveryOptions>
  readonly #waiting = new Map<string, number[]>()
  readonly #posting = new Set<AbortController>()
  #closed = false

  constructor(sql: Sql, clock: Clock, { allowLoopback, resolve = resolveName }: DeliveryOptions) {
    this.#sql = sql
    this.#clock = clock
    this.#options = { allowLoopback, resolve }
  }

  /** Whether events may be sent to an address: public https, on request also this machine. */
  accepts(url: string): boolean {
    return isEventWebhookUrl(url, this.#options.allowLoopback)
  }

  /** Posts an event of a bot after those before it, if the bot has an event webhook. */
  deliver(botId: string, eventId: number): void {
    const waiting = this.#waiting.get(botId)
    if (waiting) {
      waiting.push(eventId)
      if (waiting.length > MOST_WAITING) waiting.shift()
      return
    }
    const wanted = this.#sql.get('SELECT 1 FROM bots WHERE user_id = ? AND webhook_url IS NOT NULL', botId)
    if (wanted === undefined || this.#closed) return
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

  /** What to post; nothing when the event, its bot or its webhook is gone, or the bot is banned. */
  #due(botId: string, id: number): Due | undefined {
    try {
      return this.#sql.get<Due>(
        `SELECT b.webhook_url AS url, b.webhook_secret AS secret, e.type, e.data
         FROM events e JOIN bots b ON b.user_id = e.bot_id JOIN users u ON u.id = b.user_id
         WHERE e.id = ? AND e.bot_id = ? AND b.webhook_url IS NOT NULL AND u.banned = 0`,
        id,
        botId,
      )
    } catch (error) {
      logFailure(`service: event ${id} is not posted to its event webhook:`, error)
      return undefined
    }
  }

  async #post(botId: string, id: number, { url, secret, type, data }: Due): Promise<void> {
    // As `{id, event, data}`, exactly so (decisions row 20); the data are the JSON that polling gives.
    const body = `{"id":${id},"event":${JSON.stringify(type)},"data":${data}}`
    const headers = {
      'content-type': 'application/json',
      [eventWebhookHeaders.bot]: botId,
      [eventWebhookHeaders.signature]: signEventWebhook(secret, body),
    }
    const end = new AbortController()
    this.#posting.add(end)
    const timer = this.#clock.after(limits.event_webhook_delivery.seconds * 1000, () => end.abort())
    // No retry and no report (§4): the receiver was down or slow, and polling still has the event.
    await postEvent({ url, headers, body }, { ...this.#options, signal: end.signal }).catch(() => undefined)
    timer.cancel()
    this.#posting.delete(end)
  }

  /** Forgets what waits: its events are no more. */
  clear(): void {
    for (const waiting of this.#waiting.values()) waiting.length = 0
  }

  /** Ends what is under way. */
  close(): void {
    this.#closed = true
    for (const end of this.#posting) end.abort()
  }
}
