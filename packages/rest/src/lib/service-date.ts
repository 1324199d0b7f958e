import type { Clock } from '@botwright/clock'
import type { Answer } from './connection/transport.ts'

/** Dates of HTTP are in whole seconds: on average, half a second has passed since. */
const HALF_SECOND_MS = 500

/** Compares the clock of this host with the `Date` of the responses. */
export class ServiceDate {
  /** How far the service is ahead; undefined before its first `Date`. */
  aheadMs: number | undefined
  readonly #clock: Clock
  #last: unknown

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A date that was read before costs only this comparison. */
  read({ headers: { date } }: Pick<Answer, 'headers'>): void {
    if (date === this.#last) return
    this.#last = date
    const ms = typeof date === 'string' && date.length < 100 ? Date.parse(date) : NaN
    if (!Number.isNaN(ms)) this.aheadMs = ms + HALF_SECOND_MS - this.#clock.now()
  }
}
