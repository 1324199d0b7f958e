/** A timer that can be cancelled; cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void
}

/**
 * The only source of time in the house. Durations are milliseconds.
 * `now` is the wall clock (for timestamps); `monotonic` never goes back (for waits and limits).
 */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now()`. */
  now(): number
  /** Milliseconds since some fixed point; never goes back. */
  monotonic(): number
  /** Calls `fire` once, after `ms`. Does not keep the process alive unless `keepAlive` is set. */
  after(ms: number, fire: () => void, options?: { keepAlive?: boolean }): Timer
}

/** Waits `ms` on the given clock. Rejects with the signal's reason when it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const onAbort = () => {
      timer.cancel()
      reject(signal!.reason as Error)
    }
    const timer = clock.after(
      ms,
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      { keepAlive: true },
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Node allows timers up to 2^31-1 ms; a longer one would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fire, { keepAlive = false } = {}) {
    const timeout = setTimeout(fire, Math.min(Math.max(ms, 0), LONGEST_TIMEOUT_MS))
    if (!keepAlive) timeout.unref()
    return { cancel: () => clearTimeout(timeout) }
  },
}

interface Pending {
  at: number
  order: number
  fire: () => void
}

/** A clock that stands still until a test moves it. Timers fire in the order of their time, then of their making. */
export class VirtualClock implements Clock {
  #elapsedMs = 0
  #order = 0
  readonly #startMs: number
  readonly #pending = new Set<Pending>()

  /** `startMs`: the wall clock at the beginning, milliseconds since 1970. */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs
  }

  now(): number {
    return this.#startMs + this.#elapsedMs
  }

  monotonic(): number {
    return this.#elapsedMs
  }

  after(ms: number, fire: () => void): Timer {
    const entry: Pending = { at: this.#elapsedMs + Math.max(ms, 0), order: this.#order++, fire }
    this.#pending.add(entry)
    return { cancel: () => void this.#pending.delete(entry) }
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#pending.size
  }

  /**
   * Moves the clock on by `ms`, firing every timer that becomes due, those made on the way included.
   * After each timer `settle` is awaited, so that code which awaits the timer can set its next one: one turn of the event loop
   * unless it is given. A test of something with connections gives one that waits for what is on its way.
   */
  async advance(ms: number, settle: () => Promise<void> = turn): Promise<void> {
    const end = this.#elapsedMs + ms
    await settle()
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#pending.delete(next)
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at)
      next.fire()
      await settle()
    }
    this.#elapsedMs = end
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined
    for (const entry of this.#pending) {
      if (entry.at > end) continue
      if (!first || entry.at < first.at || (entry.at === first.at && entry.order < first.order)) first = entry
    }
    return first
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
