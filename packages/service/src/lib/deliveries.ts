import type { Clock } from '@botwright/clock'
import { eventWebhookHeaders, limits, signEventWebhook } from '@botwright/protocol'
import type { Sql } from './db/sql.ts'
import { isLoopback, isPublicHttps, looksPublicHttps } from './public-address.ts'

interface Target {
  webhook_url: string | null
  webhook_secret: string | null
}

/** What is sent: the body of an event webhook (§4), exactly so (decisions row 20). */
export interface Delivery {
  id: number
  event: string
  data: object
}

/** Posts events to the owners' addresses: in order, 3 seconds each, never again (§4, Event webhook delivery). */
export class Deliveries {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #allowLoopback: boolean
  readonly #queues = new Map<string, Promise<void>>()
  #closed = false

  constructor(sql: Sql, clock: Clock, allowLoopback: boolean) {
    this.#sql = sql
    this.#clock = clock
    this.#allowLoopback = allowLoopback
  }

  /** Whether events may be sent to an address: public https, on request also this machine. */
  accepts(url: string): boolean {
    return looksPublicHttps(url) || (this.#allowLoopback && isLoopback(url))
  }

  deliver(botId: string, delivery: Delivery): void {
    const target = this.#sql.get<Target>('SELECT webhook_url, webhook_secret FROM bots WHERE user_id = ?', botId)
    if (!target?.webhook_url || target.webhook_secret === null || this.#closed) return
    const { webhook_url: url, webhook_secret: secret } = target
    const before = this.#queues.get(botId) ?? Promise.resolve()
    const sent = before.then(() => this.#post(botId, { url, secret, body: JSON.stringify(delivery) }))
    this.#queues.set(botId, sent)
    void sent.then(() => {
      if (this.#queues.get(botId) === sent) this.#queues.delete(botId)
    })
  }

  async #post(botId: string, { url, secret, body }: { url: string; secret: string; body: string }): Promise<void> {
    if (this.#closed) return
    const abort = new AbortController()
    const timer = this.#clock.after(limits.event_webhook_delivery.seconds * 1000, () => abort.abort())
    try {
      if (!(this.#allowLoopback && isLoopback(url)) && !(await isPublicHttps(url))) return
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [eventWebhookHeaders.bot]: botId,
          [eventWebhookHeaders.signature]: signEventWebhook(secret, body),
        },
        body,
        redirect: 'manual',
        signal: abort.signal,
      })
      await answer.body?.cancel()
    } catch {
      // No retry and no report (§4): the receiver was down or slow, and polling still has the event.
    } finally {
      timer.cancel()
    }
  }

  close(): void {
    this.#closed = true
  }
}
