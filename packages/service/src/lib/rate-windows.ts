import type { Clock } from '@botwright/clock'
import type { RateLimit } from '@botwright/protocol'

interface Window {
  times: number[]
  lengthMs: number
}

/** Number of windows before the first cleanup: there is one per edited message, for example. */
const FIRST_CLEANUP = 1000

/** Sliding windows (decisions row 40): at most `requests` in any `seconds`. Only calls that succeed are counted. */
export class RateWindows {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()
  /** The keys of the calls that `together` has counted. */
  #counted: string[] | undefined
  /** Number of windows that triggers the next cleanup. */
  #nextCleanup = FIRST_CLEANUP

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of windows in memory. */
  get size(): number {
    return this.#windows.size
  }

  /** Milliseconds until one more call is allowed; 0 if it is allowed now. */
  waitMs(key: string, limit: RateLimit): number {
    const times = this.#windows.get(key)?.times
    if (times === undefined) return 0
    const now = this.#clock.monotonic()
    const windowMs = limit.seconds * 1000
    while (times[0] !== undefined && times[0] <= now - windowMs) times.shift()
    if (times.length === 0) this.#windows.delete(key)
    return times.length < limit.requests ? 0 : times[0]! + windowMs - now
  }

  /** Milliseconds until each counted call leaves the window, oldest first. */
  leavesInMs(key: string, limit: RateLimit): number[] {
    const since = this.#clock.monotonic() - limit.seconds * 1000
    return (this.#windows.get(key)?.times ?? []).filter((each) => each > since).map((each) => each - since)
  }

  /** Does work that stores several calls together. If it throws, none of them was stored, and none counts. */
  together(work: () => void): void {
    const counted: string[] = (this.#counted = [])
    try {
      work()
    } catch (error) {
      for (const key of counted) this.#windows.get(key)?.times.pop()
      throw error
    } finally {
      this.#counted = undefined
    }
  }

  count(key: string, limit: RateLimit): void {
    const now = this.#clock.monotonic()
    this.#counted?.push(key)
    const window = this.#windows.get(key)
    if (window) return void window.times.push(now)
    this.#windows.set(key, { times: [now], lengthMs: limit.seconds * 1000 })
    if (this.#windows.size > this.#nextCleanup) this.#removeExpired(now)
  }

  clear(): void {
    this.#windows.clear()
    this.#nextCleanup = FIRST_CLEANUP
  }

  #removeExpired(now: number): void {
    for (const [key, { times, lengthMs }] of this.#windows) {
      if ((times.at(-1) ?? -Infinity) <= now - lengthMs) this.#windows.delete(key)
    }
    this.#nextCleanup = Math.max(FIRST_CLEANUP, 2 * this.#windows.size)
  }
}
