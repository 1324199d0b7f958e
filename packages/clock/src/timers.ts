// Timers that follow a clock, for the framework.

import { type Clock, elapsedOf, isMovable, onAbort, type Timer } from './index.ts'

const CHECK_MS = 10 * 60_000

/**
 * Fires at a time of the clock. Fires earlier after 10 minutes that really pass, because timers do not notice that the computer slept or
 * that its clock was set. A clock that is moved ahead by days does not stop every 10 minutes.
 */
export function timerAt(clock: Clock, atMs: number, fire: () => void): Timer {
  const waitMs = Math.max(atMs - clock.now(), 0)
  if (waitMs <= CHECK_MS) return clock.after(waitMs, fire)
  const check = elapsedOf(clock).after(CHECK_MS, () => {
    due?.cancel()
    fire()
  })
  const due = Number.isFinite(waitMs)
    ? clock.after(waitMs, () => {
        check.cancel()
        fire()
      })
    : undefined
  return {
    cancel() {
      check.cancel()
      due?.cancel()
    },
  }
}

const noTimer: Timer = { cancel: () => {} }

/** The clock of the code that shares its thread with the program. Its timers end with the code: from then on, none fires. */
export class OwnClock implements Clock {
  readonly #base: Clock
  readonly #timers = new Set<Timer>()
  #closed = false

  constructor(base: Clock) {
    this.#base = base
    // One that can be moved is known by these members.
    if (!isMovable(base)) return
    const elapsed = new OwnClock(base.base)
    Object.defineProperties(this, {
      base: { value: elapsed },
      aheadMs: { get: () => base.aheadMs },
      onMove: { value: base.onMove.bind(base) },
    })
    this.#timers.add({ cancel: () => elapsed.close() })
  }

  now(): number {
    return this.#base.now()
  }

  monotonic(): number {
    return this.#base.monotonic()
  }

  after(ms: number, fire: () => void, options?: { keepAlive?: boolean }): Timer {
    if (this.#closed) return noTimer
    const timer = this.#base.after(
      ms,
      () => {
        this.#timers.delete(timer)
        fire()
      },
      options,
    )
    this.#timers.add(timer)
    return {
      cancel: () => {
        this.#timers.delete(timer)
        timer.cancel()
      },
    }
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }
}

/** Whether the work ends in this time, for which it keeps the process alive. Rejects if the work does. */
export async function endsWithin(clock: Clock, ms: number, work: PromiseLike<unknown>): Promise<boolean> {
  let timer: Timer | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = clock.after(ms, () => resolve(false), { keepAlive: true })
  })
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), late])
  } finally {
    timer?.cancel()
  }
}

/** Settles as the work does. Rejects with the reason of the first of the signals that aborts before. */
export async function orAborted<T>(work: PromiseLike<T>, ...signals: readonly (AbortSignal | undefined)[]): Promise<T> {
  let forget!: () => void
  const aborted = new Promise<never>((_resolve, reject) => (forget = onAbort(signals, reject)))
  try {
    return await Promise.race([aborted, work])
  } finally {
    forget()
  }
}
