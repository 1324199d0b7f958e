import type { Clock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'

/** What the service's answer to a poll is asked for; anything may have arrived. */
interface PollAnswer {
  events?: unknown
}

/** A page of so many events is probably not the last one of what there is to make up for. */
const FULL_PAGE = 50
const ANSWER_MS = limits.interaction.answer_seconds * 1000

/**
 * Knows which clicks nobody heard in time: made after the last good poll before the bot was away (stopped, or without a
 * connection), and 3 s old (§3) when the bot has them at last. Outside of that making up, no clock that is wrong can make a click
 * old. What was heard before was acknowledged, whether it ran or not.
 */
export class Away {
  readonly #clock: Clock
  #heardUntilMs: number
  #away = true
  #lastPageWasShort = false

  constructor(clock: Clock, heardUntilMs: number) {
    this.#clock = clock
    this.#heardUntilMs = heardUntilMs
  }

  /** Watches one poll. `after` 0 asks for the newest id alone. */
  watch<T>(after: number, poll: Promise<T>): Promise<T> {
    if (after > 0) poll.then(this.#good, this.#failed)
    return poll
  }

  /** Whether a click of that time arrives only now that its people were told of its failure. */
  unheard(clickedAtMs: number): boolean {
    if (!this.#away) return false
    return clickedAtMs > this.#heardUntilMs && this.#clock.now() - clickedAtMs > ANSWER_MS
  }

  readonly #good = (answer: unknown): void => {
    // What this page brings was made since the last one, which was all there was.
    if (this.#lastPageWasShort) this.#away = false
    const { events } = (answer ?? {}) as PollAnswer
    this.#lastPageWasShort = Array.isArray(events) && events.length < FULL_PAGE
    if (!this.#away) this.#heardUntilMs = this.#clock.now()
  }

  readonly #failed = (): void => {
    this.#away = true
    this.#lastPageWasShort = false
  }
}
