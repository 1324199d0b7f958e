import { type Clock, isMovable, type Timer } from '@botwright/clock'

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
