import { systemClock, type Timer } from '@botwright/clock'
import { BoundedMap } from '@botwright/protocol/facts'
import { BETWEEN_POLLS_MS, DevPoll } from './dev-poll.ts'

const BOTS = 16
const MOST_REQUESTED = 10

interface Requests {
  /** Requested, and not polled yet. */
  eventIds: Set<number>
  /** Polled, and not answered yet. */
  taken: Set<number>
  poll: DevPoll
  /** The next check whether the program still polls. */
  watch: Timer | undefined
}

/** The requests of owners to run events through the current code, and the polls of `framework dev` for them. */
export class Replays {
  readonly #bots = new BoundedMap<string, Requests>(BOTS)
  readonly #unanswered: (botId: string, eventId: number) => void

  /** `unanswered` is called for each request whose program has ended. */
  constructor(unanswered: (botId: string, eventId: number) => void) {
    this.#unanswered = unanswered
  }

  /** Returns false if no program waits for requests, or too many are open. */
  request(botId: string, eventId: number): boolean {
    const requests = this.#bots.get(botId)
    if (!requests?.poll.isThere || requests.eventIds.size >= MOST_REQUESTED) return false
    requests.eventIds.add(eventId)
    requests.poll.end()
    this.#watch(botId, requests)
    return true
  }

  /** Waits for requests. `running`: those that the program has taken and not answered, if it sends them; it has lost the others. */
  async poll(
    botId: string,
    running: ReadonlySet<number> | undefined,
    onDisconnect: (end: () => void) => void,
  ): Promise<number[]> {
    const requests = this.#bots.get(botId) ?? {
      eventIds: new Set(),
      taken: new Set(),
      poll: new DevPoll(),
      watch: undefined,
    }
    this.#bots.set(botId, requests)
    if (running) for (const id of requests.taken) if (!running.has(id)) this.#lose(botId, requests, id)
    await requests.poll.wait(requests.eventIds.size > 0, onDisconnect)
    const eventIds = [...requests.eventIds]
    requests.eventIds.clear()
    for (const id of eventIds) requests.taken.add(id)
    return eventIds
  }

  /** The program has answered a request. */
  answered(botId: string, eventId: number): void {
    this.#bots.get(botId)?.taken.delete(eventId)
  }

  /** A program polls all the time, also while it runs an event. */
  #watch(botId: string, requests: Requests): void {
    requests.watch ??= systemClock.after(BETWEEN_POLLS_MS, () => {
      requests.watch = undefined
      if (requests.eventIds.size + requests.taken.size === 0) return
      if (requests.poll.isThere) this.#watch(botId, requests)
      else this.#fail(botId, requests)
    })
  }

  #fail(botId: string, requests: Requests): void {
    for (const id of new Set([...requests.eventIds, ...requests.taken])) this.#lose(botId, requests, id)
  }

  #lose(botId: string, { eventIds, taken }: Requests, eventId: number): void {
    eventIds.delete(eventId)
    taken.delete(eventId)
    this.#unanswered(botId, eventId)
  }

  /** Ends the waiting poll of a bot: its token is no longer valid. */
  forget(botId: string): void {
    const requests = this.#bots.get(botId)
    if (!requests) return
    this.#end(requests)
    this.#bots.delete(botId)
    this.#fail(botId, requests)
  }

  /** Ends the waiting polls. */
  clear(): void {
    for (const requests of this.#bots.values()) this.#end(requests)
    this.#bots.clear()
  }

  #end({ poll, watch }: Requests): void {
    watch?.cancel()
    poll.end()
  }
}
