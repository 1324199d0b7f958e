import type { Clock } from '@botwright/clock'
import type { RateLimit } from '@botwright/protocol'

interface Window {
  times: number[]
  lengthMs: number
}

/** So many windows are kept before the first look for those that are over: one for each message that was edited, and the like. */
const FEW = 1000

/** Sliding windows (decisions row 40): at most `requests` in any `seconds`. Only calls that succeed are counted. */
export class RateWindows {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()
  /** With so many windows, those that are over are removed. */
  #many = FEW

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How many windows are kept in memory. */
  get size(): number {
    return this.#windows.size
  }

  /** How many milliseconds until one more call fits; 0 when it fits now. */
  waitMs(key: string, limit: RateLimit): number {
    const times = this.#windows.get(key)?.times
    if (times === undefined) return 0
    const now = this.#clock.monotonic()
    const windowMs = limit.seconds * 1000
    while (times[0] !== undefined && times[0] <= now - windowMs) times.shift()
    if (times.length === 0) this.#windows.delete(key)
    return times.length < limit.requests ? 0 : times[0]! + windowMs - now
  }

  /** In how many milliseconds each call that counts now falls out of the window, the oldest first. */
  leavesInMs(key: string, limit: RateLimit): number[] {
    const since = this.#clock.monotonic() - limit.seconds * 1000
    return (this.#windows.get(key)?.times ?? []).filter((each) => each > since).map((each) => each - since)
  }

  count(key: string, limit: RateLimit): void {
    const now = this.#clock.monotonic()
    const window = this.#windows.get(key)
    if (window) return void window.times.push(now)
    this.#windows.set(key, { times: [now], lengthMs: limit.seconds * 1000 })
    if (this.#windows.size > this.#many) this.#forgetOver(now)
  }

  clear(): void {
    this.#windows.clear()
    this.#many = FEW
  }

  #forgetOver(now: number): void {
    for (const [key, { times, lengthMs }] of this.#windows) {
      if ((times.at(-1) ?? -Infinity) <= now - lengthMs) this.#windows.delete(key)
    }
    this.#many = Math.max(FEW, 2 * this.#windows.size)
  }
}
