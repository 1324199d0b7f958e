/** A timer that can be cancelled; cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void
}

/**
 * The only source of time in these packages. Durations are in milliseconds.
 * `now` is the wall clock (for timestamps); `monotonic` never goes back (for waits and limits).
 */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now()`. */
  now(): number
  /** Milliseconds since an arbitrary fixed point; never goes back. */
  monotonic(): number
  /** Calls `fire` once after `ms`. Keeps the process alive only if `keepAlive` is set. */
  after(ms: number, fire: () => void, options?: { keepAlive?: boolean }): Timer
}

/** Waits `ms` on the given clock. Rejects with the reason of the first of the signals that aborts. */
export function sleep(clock: Clock, ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      forget()
      resolve()
    }
    const timer = clock.after(ms, end, { keepAlive: true })
    const forget = onAbort(signals, (reason) => {
      timer.cancel()
      reject(reason)
    })
  })
}

/**
 * Calls `fire` with the reason of the first of the signals that aborts, at once if one has. Returns what ends that, and leaves nothing at a
 * signal that lives longer: `AbortSignal.any` keeps an entry there for ever in Node 20.
 */
export function onAbort(signals: readonly (AbortSignal | undefined)[], fire: (reason: Error) => void): () => void {
  const given = signals.filter((signal) => signal !== undefined)
  const forget = () => {
    for (const signal of given) signal.removeEventListener('abort', listen)
  }
  const listen = () => {
    forget()
    fire(given.find((signal) => signal.aborted)!.reason as Error)
  }
  if (given.some((signal) => signal.aborted)) listen()
  else for (const signal of given) signal.addEventListener('abort', listen)
  return forget
}

/** Rejects if the work takes longer. */
export async function within<T>(clock: Clock, ms: number, work: () => Promise<T> | T): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = clock.after(ms, () => reject(new Error(`no response within ${ms / 1000} s`)))
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    timer?.cancel()
  }
}

/** Waits until nothing runs, for `graceMs` at most; returns how many still run. */
export async function drain(clock: Clock, running: () => number, graceMs: number): Promise<number> {
  const endMs = clock.monotonic() + graceMs
  while (running() > 0 && clock.monotonic() < endMs)
    await new Promise<void>((resolve) => clock.after(10, resolve, { keepAlive: true }))
  return running()
}

/** Node allows timers up to 2^31-1 ms; a longer one would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fire, { keepAlive = false } = {}) {
    let timeout: NodeJS.Timeout
    const arm = (leftMs: number): void => {
      const next = leftMs > LONGEST_TIMEOUT_MS ? () => arm(leftMs - LONGEST_TIMEOUT_MS) : fire
      timeout = setTimeout(next, Math.min(Math.max(leftMs, 0), LONGEST_TIMEOUT_MS))
      // In Workers, it is a number.
      if (!keepAlive) (timeout as Partial<NodeJS.Timeout>).unref?.()
    }
    arm(ms)
    return { cancel: () => clearTimeout(timeout) }
  },
}

const originMs = performance.timeOrigin

/** The machine's time in milliseconds since 1970, with the fractions that order what happens in two threads. */
export const preciseTime = (): number => originMs + performance.now()

/** A clock that can be ahead of another one, as after a sleep of the computer. */
export interface MovableClock extends Clock {
  /** The clock of the time that really passes. */
  readonly base: Clock
  /** How far it is ahead of `base`, in milliseconds. */
  readonly aheadMs: number
  /** Calls `listener` with the new `aheadMs` before the clock moves. Returns a function that ends this. */
  onMove(listener: (aheadMs: number) => void): () => void
}

/** Whether a clock can be ahead of another one. */
export const isMovable = (clock: Clock): clock is MovableClock => 'aheadMs' in clock

/** The clock of the time that really passes, for limits on work and connections: moving a clock ahead does not change it. */
export const elapsedOf = (clock: Clock): Clock => (isMovable(clock) ? clock.base : clock)

interface MovablePending {
  at: number
  options: { keepAlive?: boolean } | undefined
  fire: () => void
  timer: Timer
}

/** A clock that follows another one and can be moved ahead of it, never back. */
export class AdvanceableClock implements MovableClock {
  readonly base: Clock
  readonly #pending = new Set<MovablePending>()
  readonly #listeners = new Set<(aheadMs: number) => void>()
  #aheadMs = 0

  constructor(base: Clock) {
    this.base = base
  }

  get aheadMs(): number {
    return this.#aheadMs
  }

  onMove(listener: (aheadMs: number) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  now(): number {
    return Math.floor(this.base.now() + this.#aheadMs)
  }

  monotonic(): number {
    return this.base.monotonic() + this.#aheadMs
  }

  after(ms: number, fire: () => void, options?: { keepAlive?: boolean }): Timer {
    const once = () => {
      if (this.#pending.delete(entry)) fire()
    }
    const waitMs = Math.max(ms, 0)
    const entry: MovablePending = {
      at: this.monotonic() + waitMs,
      options,
      fire: once,
      timer: this.base.after(waitMs, once, options),
    }
    this.#pending.add(entry)
    return {
      cancel: () => {
        this.#pending.delete(entry)
        entry.timer.cancel()
      },
    }
  }

  /** The time until the next timer fires; undefined without timers. */
  get nextMs(): number | undefined {
    let next: number | undefined
    for (const { at } of this.#pending) if (next === undefined || at < next) next = at
    return next === undefined ? undefined : Math.max(next - this.monotonic(), 0)
  }

  /** Advances the clock by `ms`. Timers that become due fire once, in their order and at their own time; the others fire that much sooner. */
  advance(ms: number): void {
    const end = this.#aheadMs + ms
    for (const listener of this.#listeners) listener(end)
    const nextDue = () => {
      let first: MovablePending | undefined
      for (const entry of this.#pending) {
        if (entry.at <= this.base.monotonic() + end && (!first || entry.at < first.at)) first = entry
      }
      return first
    }
    for (let due = nextDue(); due; due = nextDue()) {
      due.timer.cancel()
      this.#aheadMs = Math.min(end, Math.max(this.#aheadMs, due.at - this.base.monotonic()))
      due.fire()
    }
    this.#aheadMs = end
    for (const entry of this.#pending) {
      entry.timer.cancel()
      entry.timer = this.base.after(Math.max(entry.at - this.monotonic(), 0), entry.fire, entry.options)
    }
  }
}

/** A clock that shows `aheadMs` more than another one. Its timers and its monotonic time are those of `base`. */
export const aheadOf = (base: Clock, aheadMs: () => number): Clock => ({
  now: () => base.now() + aheadMs(),
  monotonic: () => base.monotonic(),
  after: (ms, fire, options) => base.after(ms, fire, options),
})

interface Pending {
  at: number
  order: number
  fire: () => void
}

/** A clock that moves only when a test advances it. Timers fire by due time, then in creation order. */
export class VirtualClock implements Clock {
  #elapsedMs = 0
  #order = 0
  readonly #startMs: number
  readonly #pending = new Set<Pending>()

  /** `startMs`: the initial wall clock, in milliseconds since 1970. */
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

  /** The number of pending timers. */
  get waiting(): number {
    return this.#pending.size
  }

  /**
   * Advances the clock by `ms` and fires every timer that becomes due, including timers created along the way.
   * Awaits `settle` after each timer, so that code waiting for it can set its next one. The default is one turn of the event loop;
   * a test with connections passes a function that waits for pending messages.
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
