import { aheadOf, type Clock } from '@botwright/framework/cluster'
import type { RedisLink } from './connect.ts'

/** The answer of `TIME` in milliseconds since 1970. */
export const msOf = ([seconds, micros]: readonly (string | number)[]): number =>
  Number(seconds) * 1000 + Number(micros) / 1000

/** Clocks that are kept in step differ by less; so they are taken as equal, and a time that is kept is read back as it was. */
const IN_STEP_MS = 100
/** Two clocks drift apart. */
const MEASURE_AGAIN_MS = 30_000
/** The delay after a failed measurement. */
const RETRY_MS = 1000
/** Half of the way there and back is how wrong a measurement may be. */
const LONGEST_WAY_MS = 500

/**
 * The time of Redis, which all instances share: with it, a value that one of them keeps for ten seconds is gone for all of them after ten
 * seconds, and a question that one of them asks ends at the same moment on another one.
 */
export class RedisTime {
  /** The clock that all instances share. */
  readonly clock: Clock
  readonly #link: RedisLink
  readonly #clock: Clock
  #offsetMs = 0
  #measuredMs = -Infinity
  /** The wall clock minus the monotonic one at the last measurement. */
  #wallMs = 0
  /** After a failed measurement: no other one begins before this time. */
  #retryMs = -Infinity
  #measuring: Promise<void> | undefined

  constructor(link: RedisLink, clock: Clock) {
    this.#link = link
    this.#clock = clock
    this.clock = aheadOf(clock, () => this.offsetMs)
  }

  /** The difference to add to this instance's wall clock. Measured again, in passing, when it is old or that clock was set. */
  get offsetMs(): number {
    const now = this.#clock.monotonic()
    const isSet = Math.abs(this.#clock.now() - now - this.#wallMs) > IN_STEP_MS
    if ((isSet && now >= this.#retryMs) || now - this.#measuredMs > MEASURE_AGAIN_MS) void this.measure()
    return this.#offsetMs
  }

  /** Never rejects: without an answer the clock stays as far off as it was. */
  measure(): Promise<void> {
    return (this.#measuring ??= this.#measure())
  }

  async #measure(): Promise<void> {
    const startMs = this.#clock.monotonic()
    this.#measuredMs = startMs
    this.#retryMs = startMs + RETRY_MS
    try {
      const time = await this.#link.redis.time()
      const [nowMs, endMs] = [this.#clock.now(), this.#clock.monotonic()]
      const wayMs = endMs - startMs
      if (wayMs > LONGEST_WAY_MS) return
      this.#wallMs = nowMs - endMs
      this.#retryMs = -Infinity
      const offsetMs = Math.round(msOf(time) - (nowMs - wayMs / 2))
      if (Math.abs(offsetMs - this.#offsetMs) > IN_STEP_MS)
        this.#offsetMs = Math.abs(offsetMs) > IN_STEP_MS ? offsetMs : 0
    } catch {
      // The link logs that Redis is unavailable.
    } finally {
      this.#measuring = undefined
    }
  }
}
