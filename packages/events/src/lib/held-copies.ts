import type { Clock, Timer } from '@botwright/clock'
import type { Delivery } from './bot-event.ts'

/** After this time, a copy that no poll confirmed runs anyway: polling may be broken. */
const HOLD_MS = 500

/** Copies of the webhook that wait until polls have returned the events before them. */
export class HeldCopies {
  readonly #clock: Clock
  readonly #onTimeout: () => void
  #held: Delivery[] = []
  #timer: Timer | undefined

  constructor(clock: Clock, onTimeout: () => void) {
    this.#clock = clock
    this.#onTimeout = onTimeout
  }

  get count(): number {
    return this.#held.length
  }

  add(delivery: Delivery): void {
    this.#held.push(delivery)
    this.#timer ??= this.#clock.after(HOLD_MS, this.#onTimeout)
  }

  /** Takes those up to an id, in order. While others wait, polling works, and they wait on. */
  take(last: number): Delivery[] {
    const due = this.#held.filter(({ event }) => event.id <= last).sort((a, b) => a.event.id - b.event.id)
    this.#held = this.#held.filter(({ event }) => event.id > last)
    this.stop()
    if (this.#held.length > 0) this.#timer = this.#clock.after(HOLD_MS, this.#onTimeout)
    return due
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }
}
