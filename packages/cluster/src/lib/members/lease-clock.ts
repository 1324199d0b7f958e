import type { Clock } from '@botwright/framework/cluster'

/** When a renewal was sent. A lease is reckoned from there, never from its answer: Redis may have counted it from the first moment on. */
export interface Sent {
  readonly monotonicMs: number
  readonly wallMs: number
}

/**
 * A lease on Redis, as its holder's own clocks see it. The monotonic clock of a suspended virtual instance may stop, and a
 * wall clock may be set: the one that went further decides whether the instance is sure.
 */
export class LeaseClock {
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #marginMs: number
  #last: Sent | undefined

  /** Sure until `marginMs` before the lease's end. */
  constructor(clock: Clock, leaseMs: number, marginMs: number) {
    this.#clock = clock
    this.#leaseMs = leaseMs
    this.#marginMs = marginMs
  }

  /** To be called right before a renewal is sent. */
  sent(): Sent {
    return { monotonicMs: this.#clock.monotonic(), wallMs: this.#clock.now() }
  }

  /** The renewal that was sent then has succeeded. */
  renewed(sent: Sent): void {
    this.#last = sent
  }

  end(): void {
    this.#last = undefined
  }

  /** The lease holds for certain. */
  get sure(): boolean {
    const last = this.#last
    if (last === undefined) return false
    const { monotonicMs, wallMs } = last
    const gone = Math.max(this.#clock.monotonic() - monotonicMs, this.#clock.now() - wallMs)
    return gone < this.#leaseMs - this.#marginMs
  }

  /** The lease is over for certain, whatever Redis would reply. A wall clock that was set proves nothing. */
  get over(): boolean {
    return this.leftMs <= 0
  }

  /** Until the instance must take the lease for lost. */
  get leftMs(): number {
    if (this.#last === undefined) return 0
    return this.#leaseMs - this.#marginMs / 2 - (this.#clock.monotonic() - this.#last.monotonicMs)
  }
}
