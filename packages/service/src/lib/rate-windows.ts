import type { Clock } from '@botwright/clock'
import type { RateLimit } from '@botwright/protocol'

/** Sliding windows (decisions row 40): at most `requests` in any `seconds`. Only calls that succeed are counted. */
export class RateWindows {
  readonly #clock: Clock
  readonly #times = new Map<string, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How many milliseconds until one more call fits; 0 when it fits now. */
  waitMs(key: string, limit: RateLimit): number {
    const times = this.#times.get(key)
    if (times === undefined) return 0
    const now = this.#clock.monotonic()
    const windowMs = limit.seconds * 1000
    while (times[0] !== undefined && times[0] <= now - windowMs) times.shift()
    if (times.length === 0) this.#times.delete(key)
    return times.length < limit.requests ? 0 : times[0]! + windowMs - now
  }

  /** In how many milliseconds each call that counts now falls out of the window, the oldest first. */
  leavesInMs(key: string, limit: RateLimit): number[] {
    const since = this.#clock.monotonic() - limit.seconds * 1000
    return (this.#times.get(key) ?? []).filter((each) => each > since).map((each) => each - since)
  }

  count(key: string): void {
    const times = this.#times.get(key)
    if (times) times.push(this.#clock.monotonic())
    else this.#times.set(key, [this.#clock.monotonic()])
  }

  clear(): void {
    this.#times.clear()
  }
}
