import type { Clock, Log } from '@botwright/framework/cluster'
import { isAnswer, type RedisLink } from './connect.ts'
import { isFull } from './reasons.ts'

const AGAIN_MS = 60_000
const CALM_MS = 1500

/** Logs what Redis refuses: that it is full once at the beginning and once at the end, anything else at most once a minute. */
export class RefusalLog {
  readonly #o: { link: RedisLink; clock: Clock; log: Log }
  #loggedAtMs = -Infinity
  /** Since when (monotonic) Redis accepts no writes, and when it last refused one. */
  #full: { sinceMs: number; lastMs: number } | undefined

  constructor(options: { link: RedisLink; clock: Clock; log: Log }) {
    this.#o = options
  }

  failed(error: unknown): void {
    const { link, log, clock } = this.#o
    const now = clock.monotonic()
    // The link logs that Redis is unavailable.
    if (link.awaySinceMs !== undefined) return
    const facts = { code: 'ERR_CLUSTER', redis: link.shown }
    if (isFull(error)) {
      if (this.#full) return void (this.#full.lastMs = now)
      this.#full = { sinceMs: now, lastMs: now }
      const text = `Redis accepts no writes: ${link.reasonOf(error)}; no new event starts until it does, and nothing is lost`
      return log.error(facts, `${link.shown}: ${text}`)
    }
    // A command without a reply is sent again; the link logs it if that lasts.
    if (!isAnswer(error)) return log.debug({ error }, `${link.shown}: ${(error as Error).message}`)
    if (this.#full || now - this.#loggedAtMs < AGAIN_MS) return
    this.#loggedAtMs = now
    log.warn(facts, `${link.shown}: ${link.reasonOf(error)}`)
  }

  /** Redis has accepted a write. One that is almost full counts as full. */
  kept(): void {
    const { link, log, clock } = this.#o
    if (!this.#full || clock.monotonic() - this.#full.lastMs < CALM_MS) return
    const fullMs = clock.monotonic() - this.#full.sinceMs
    this.#full = undefined
    const text = `Redis accepts writes again after ${(fullMs / 1000).toFixed(1)} s`
    log.info({ redis: link.shown, fullMs }, `${link.shown}: ${text}`)
  }
}
