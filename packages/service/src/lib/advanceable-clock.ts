import type { Clock, Timer } from '@botwright/clock'

interface Pending {
  at: number
  fire: () => void
  timer: Timer
}

/** A clock that follows another one and can be advanced (`POST /controls/v1/clock`). */
export class AdvanceableClock implements Clock {
  readonly #base: Clock
  readonly #pending = new Set<Pending>()
  #aheadMs = 0

  constructor(base: Clock) {
    this.#base = base
  }

  now(): number {
    return this.#base.now() + this.#aheadMs
  }

  monotonic(): number {
    return this.#base.monotonic() + this.#aheadMs
  }

  after(ms: number, fire: () => void, options?: { keepAlive?: boolean }): Timer {
    const once = () => {
      if (this.#pending.delete(entry)) fire()
    }
    const waitMs = Math.max(ms, 0)
    const entry: Pending = { at: this.monotonic() + waitMs, fire: once, timer: this.#base.after(waitMs, once, options) }
    this.#pending.add(entry)
    return {
      cancel: () => {
        this.#pending.delete(entry)
        entry.timer.cancel()
      },
    }
  }

  /** Advances the clock by `ms`. Timers that become due fire at their own time; the others fire that much sooner. */
  advance(ms: number): void {
    const end = this.#aheadMs + ms
    const nextDue = () => {
      let first: Pending | undefined
      for (const entry of this.#pending) {
        if (entry.at <= this.#base.monotonic() + end && (!first || entry.at < first.at)) first = entry
      }
      return first
    }
    for (let due = nextDue(); due; due = nextDue()) {
      due.timer.cancel()
      this.#aheadMs = Math.min(end, Math.max(this.#aheadMs, due.at - this.#base.monotonic()))
      due.fire()
    }
    this.#aheadMs = end
    for (const entry of this.#pending) {
      entry.timer.cancel()
      entry.timer = this.#base.after(Math.max(entry.at - this.monotonic(), 0), entry.fire)
    }
  }
}
