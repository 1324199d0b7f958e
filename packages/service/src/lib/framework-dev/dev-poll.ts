import { systemClock } from '@botwright/clock'
import { limits } from '@botwright/protocol'

/** A program polls again within this time after it has got an answer. */
export const BETWEEN_POLLS_MS = 5000

/** The long polls of `framework dev` for one bot: a later one ends an earlier one. */
export class DevPoll {
  #resume: (() => void) | undefined
  #lastMs = -Infinity

  /** Whether a program polls. */
  get isThere(): boolean {
    return this.#resume !== undefined || systemClock.monotonic() - this.#lastMs < BETWEEN_POLLS_MS
  }

  /** Waits until `end` is called, the connection ends, or the time for a poll is over. `isDue`: there is something to return already. */
  async wait(isDue: boolean, onDisconnect: (end: () => void) => void): Promise<void> {
    this.end()
    if (!isDue) {
      await new Promise<void>((resolve) => {
        const resume = () => {
          timer.cancel()
          if (this.#resume === resume) this.#resume = undefined
          this.#lastMs = systemClock.monotonic()
          resolve()
        }
        const timer = systemClock.after(limits.event_poll_wait.seconds * 1000, resume)
        this.#resume = resume
        onDisconnect(resume)
      })
    }
    this.#lastMs = systemClock.monotonic()
  }

  /** Ends the waiting poll. */
  end(): void {
    this.#resume?.()
  }
}
