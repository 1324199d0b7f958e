import { BoundedMap } from '@botwright/protocol/facts'
import { DevPoll } from './dev-poll.ts'

const BOTS = 16
const MOST_REQUESTED = 10

/** The requests of owners to run events through the current code, and the polls of `framework dev` for them. */
export class Replays {
  readonly #bots = new BoundedMap<string, { eventIds: Set<number>; poll: DevPoll }>(BOTS)

  /** Returns false if no program waits for requests, or too many are open. */
  request(botId: string, eventId: number): boolean {
    const requests = this.#bots.get(botId)
    if (!requests?.poll.isThere || requests.eventIds.size >= MOST_REQUESTED) return false
    requests.eventIds.add(eventId)
    requests.poll.end()
    return true
  }

  /** Waits for requests. */
  async poll(botId: string, onDisconnect: (end: () => void) => void): Promise<number[]> {
    const requests = this.#bots.get(botId) ?? { eventIds: new Set(), poll: new DevPoll() }
    this.#bots.set(botId, requests)
    await requests.poll.wait(requests.eventIds.size > 0, onDisconnect)
    const eventIds = [...requests.eventIds]
    requests.eventIds.clear()
    return eventIds
  }

  /** Ends the waiting poll of a bot: its token is no longer valid. */
  forget(botId: string): void {
    this.#bots.get(botId)?.poll.end()
    this.#bots.delete(botId)
  }

  /** Ends the waiting polls. */
  clear(): void {
    for (const { poll } of this.#bots.values()) poll.end()
    this.#bots.clear()
  }
}
