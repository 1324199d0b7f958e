import type { BotEvent, Clock } from '@botwright/framework/cluster'
import { bestEffort } from '../redis/best-effort.ts'
import { checkJson, notices, eventSchema } from '../redis/from-redis.ts'
import type { Location } from '../redis/location.ts'

/** More copies than this are refused: the sender gets an error and tries again, and the poll returns them anyway. */
const MOST_OFFERS = 10_000
/** Copies in one answer of Redis, which does nothing else meanwhile. */
const AT_ONCE = 100

/** Keeps a webhook's copy for the leader. Resolves once it is kept. */
export async function storeCopy({ link, keys }: Location, event: BotEvent): Promise<void> {
  if ((await link.redis.hlen(keys.offers)) >= MOST_OFFERS)
    throw link.wrong(
      `${MOST_OFFERS} webhook copies are waiting for the leader: this one is dropped, and the poll will deliver it`,
      'ERR_CLUSTER',
    )
  await link.redis.hset(keys.offers, String(event.id), JSON.stringify(event))
  await link.redis.publish(keys.channel('offers'), String(event.id))
}

export interface WebhookCopiesOptions extends Location {
  clock: Clock
  signal: AbortSignal
  /** Whether the feed has the copy and has not published it. */
  holds: (event: BotEvent) => boolean
}

/** The leader's side: takes the copies, and throws each away when it is published. */
export class WebhookCopies {
  readonly #o: WebhookCopiesOptions
  readonly #taken = new Set<number>()
  #hear: ((event: BotEvent) => Promise<void>) | undefined
  #unhear: (() => void) | undefined

  constructor(options: WebhookCopiesOptions) {
    this.#o = options
  }

  open(hear: (event: BotEvent) => Promise<void>): void {
    const { link, keys, signal } = this.#o
    this.#hear = hear
    link
      .hear(keys.channel('offers'), notices.offer, (id) => void this.#take([id]))
      .then(
        (unhear) => {
          if (signal.aborted) unhear()
          else this.#unhear = unhear
          this.look()
        },
        // `look` finds them as well, a little later.
        () => {},
      )
  }

  /** Takes those of the stored copies that are new. */
  take(ids: readonly string[]): void {
    if (this.#hear && ids.length > 0) void this.#take(ids)
  }

  /** Looks for copies that were stored while no leader listened. */
  look(): void {
    this.#o.link.redis.hkeys(this.#o.keys.offers).then(
      (ids) => this.take(ids),
      // The leader's next sweep finds them.
      () => {},
    )
  }

  /** These are published. */
  done(ids: readonly number[]): void {
    const forget = () => {
      for (const id of ids) this.#taken.delete(id)
    }
    // After a failure the next sweep finds them again: they are known then, and deleted.
    this.#o.link.redis.hdel(this.#o.keys.offers, ...ids.map(String)).then(forget, forget)
  }

  close(): void {
    this.#unhear?.()
  }

  async #take(ids: readonly string[]): Promise<void> {
    const { signal } = this.#o
    const fresh = ids.filter((id) => !this.#taken.has(Number(id))).sort((a, b) => Number(a) - Number(b))
    if (fresh.length === 0 || signal.aborted) return
    for (const id of fresh) this.#taken.add(Number(id))
    for (let from = 0; from < fresh.length && !signal.aborted; from += AT_ONCE)
      await this.#takeSome(fresh.slice(from, from + AT_ONCE))
  }

  async #takeSome(fresh: readonly string[]): Promise<void> {
    const { link, keys, holds } = this.#o
    try {
      const found = await link.redis.hmget(keys.offers, ...fresh)
      for (const [at, text] of found.entries()) {
        const id = Number(fresh[at])
        if (text === null) {
          this.#taken.delete(id)
          continue
        }
        const { value: event, fault } = checkJson(eventSchema, text)
        if (fault !== undefined || event.id !== id) {
          link.malformed(
            'webhook copy',
            fault ?? `it is of event ${event.id} and is stored as "${fresh[at]!.slice(0, 20)}"`,
          )
          // The poll brings the event.
          void bestEffort(link.redis.hdel(keys.offers, fresh[at]!))
          this.#taken.delete(id)
          continue
        }
        this.#hear!(event).then(
          () => !holds(event) && this.done([id]),
          () => this.#taken.delete(id),
        )
      }
    } catch {
      for (const id of fresh) this.#taken.delete(Number(id))
    }
  }
}
