import type { Timer } from '@botwright/clock'
import type { ReplaysHost } from '../../runtime/ports/replays.ts'

/** How often a running bot looks for requests. */
export const CHECK_MS = 1000

/** Reruns the events that `framework replay` requests, both while the bot runs and when it starts. */
export class ReplayRequests {
  readonly #options: ReplaysHost
  #timer: Timer | undefined
  #stopped = false
  /** The last check has failed. */
  #isFailing = false

  constructor(options: ReplaysHost) {
    this.#options = options
    if (options.isShared) this.#arm()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #arm(): void {
    if (!this.#stopped) this.#timer = this.#options.clock.after(CHECK_MS, () => void this.#check())
  }

  async #check(): Promise<void> {
    const { feed, journal, log } = this.#options
    try {
      for (const id of journal.replayRequests()) {
        if (this.#stopped) return
        const known = await feed.replay(id)
        journal.dropReplayRequest(id)
        if (known) log.info({ eventId: id }, `event ${id} runs again, requested by framework replay`)
        else log.warn({ eventId: id }, `event ${id} is no longer set aside: it does not run again`)
      }
      this.#isFailing = false
    } catch (error) {
      // The request stays stored.
      if (this.#stopped || this.#isFailing) return
      this.#isFailing = true
      // Most likely a disk error, which the journal reports.
      log.warn({ error }, `requests of framework replay cannot be read: ${(error as Error).message}`)
    } finally {
      this.#arm()
    }
  }
}
