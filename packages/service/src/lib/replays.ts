import { systemClock } from '@botwright/clock'
import { limits } from '@botwright/protocol'
import { BoundedMap } from '@botwright/protocol/facts'

const BOTS = 16
const MOST_REQUESTED = 10
/** A program that has taken requests asks for the next ones within this time. */
const BETWEEN_POLLS_MS = 5000

interface Requests {
  eventIds: Set<number>
  /** Ends the waiting poll. */
  resume: (() => void) | undefined
  lastPollMs: number
}

/** The requests of owners to run events through the current code, and the polls of `framework dev` for them. */
export class Replays {
  readonly #bots = new BoundedMap<string, Requests>(BOTS)

  /** Returns false if no program waits for requests, or too many are open. */
  request(botId: string, eventId: number): boolean {
    const requests = this.#bots.get(botId)
    if (!requests || requests.eventIds.size >= MOST_REQUESTED) return false
    if (!requests.resume && systemClock.monotonic() - requests.lastPollMs > BETWEEN_POLLS_MS) return false
    requests.eventIds.add(eventId)
    requests.resume?.()
    return true
  }

  /** Waits for requests; a later poll of the same bot ends an earlier one. */
  async poll(botId: string, onDisconnect: (end: () => void) => void): Promise<number[]> {
    const requests = this.#bots.get(botId) ?? { eventIds: new Set(), resume: undefined, lastPollMs: 0 }
    this.#bots.set(botId, requests)
    requests.resume?.()
    if (requests.eventIds.size === 0) {
      await new Promise<void>((resolve) => {
        const resume = () => {
          timer.cancel()
          if (requests.resume === resume) requests.resume = undefined
          resolve()
        }
        const timer = systemClock.after(limits.event_poll_wait.seconds * 1000, resume)
        requests.resume = resume
        onDisconnect(resume)
      })
    }
    requests.lastPollMs = systemClock.monotonic()
    const eventIds = [...requests.eventIds]
    requests.eventIds.clear()
    return eventIds
  }

  /** Ends the waiting polls. */
  clear(): void {
    for (const { resume } of this.#bots.values()) resume?.()
    this.#bots.clear()
  }
}
