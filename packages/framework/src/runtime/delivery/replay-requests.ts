import type { Clock, Timer } from '@botwright/clock'
import type { Feed, Journal } from '@botwright/events'
import type { Log } from '../../author/ports.ts'

/** How often a running bot looks for requests. */
export const CHECK_MS = 1000

export interface ReplayRequestsOptions {
  feed: Pick<Feed, 'replay'>
  journal: Pick<Journal, 'replayRequests' | 'dropReplayRequest'>
  clock: Clock
  log: Log
  /** Whether another process can write to the journal. */
  isShared: boolean
}

/** Reruns the events that `framework replay` requests, both while the bot runs and when it starts. */
export class ReplayRequests {
  readonly #options: ReplayRequestsOptions
  #timer: Timer | undefined
  #stopped = false

  constructor(options: ReplayRequestsOptions) {
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
    } catch (error) {
      // The request stays stored.
      if (this.#stopped) return
      // Most likely a disk error, which the journal reports.
      log.warn({ error }, `requests of framework replay cannot be read: ${(error as Error).message}`)
    } finally {
      this.#arm()
    }
  }
}
