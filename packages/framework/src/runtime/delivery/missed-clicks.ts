import type { Clock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'

/** The part of a poll response that is read, unchecked. */
interface PollResponse {
  events?: unknown
}

/** A page with this many events is probably not the last page of the backlog. */
const FULL_PAGE = 50
const ANSWER_MS = limits.interaction.answer_seconds * 1000

/**
 * Detects clicks that the bot received too late: made after the last successful poll before it was offline (stopped or disconnected),
 * and more than 3 s old (§3) when it receives them. Clicks received earlier were acknowledged, whether they ran or not.
 * Applies only to the backlog, so that a wrong clock cannot make later clicks look old.
 */
export class MissedClicks {
  readonly #clock: Clock
  #receivedUntilMs: number
  #offline = true
  #lastPageWasShort = false

  constructor(clock: Clock, receivedUntilMs: number) {
    this.#clock = clock
    this.#receivedUntilMs = receivedUntilMs
  }

  /** Watches one poll. `after` 0 requests only the newest id. */
  watch<T>(after: number, poll: Promise<T>): Promise<T> {
    if (after > 0) poll.then(this.#succeeded, this.#failed)
    return poll
  }

  /** Whether a click made at that time arrives now, after its user saw it fail. */
  includes(clickedAtMs: number): boolean {
    if (!this.#offline) return false
    return clickedAtMs > this.#receivedUntilMs && this.#clock.now() - clickedAtMs > ANSWER_MS
  }

  readonly #succeeded = (response: unknown): void => {
    // The previous page ended the backlog: the events of this one are new.
    if (this.#lastPageWasShort) this.#offline = false
    const { events } = (response ?? {}) as PollResponse
    this.#lastPageWasShort = Array.isArray(events) && events.length < FULL_PAGE
    if (!this.#offline) this.#receivedUntilMs = this.#clock.now()
  }

  readonly #failed = (): void => {
    this.#offline = true
    this.#lastPageWasShort = false
  }
}
