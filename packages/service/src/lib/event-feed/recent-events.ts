/** An event of one bot. Bots that receive the same event share its text. */
export interface RecentEvent {
  id: number
  createdAtMs: number
  /** The JSON of a polled event after its id. */
  rest: string
}

/** The most events kept per bot, and the most characters of them. */
const MOST_EVENTS = 128
const MOST_CHARACTERS = 64 * 1024

/** The newest events of one bot, in memory. */
export class RecentEvents {
  readonly #events: RecentEvent[] = []
  #characters = 0
  /** Every event of the bot with a greater id is here. */
  floor: number

  constructor(floor: number) {
    this.floor = floor
  }

  push(event: RecentEvent): void {
    this.#events.push(event)
    this.#characters += event.rest.length
    while (this.#events.length > MOST_EVENTS || this.#characters > MOST_CHARACTERS) {
      const oldest = this.#events.shift()!
      this.#characters -= oldest.rest.length
      this.floor = oldest.id
    }
  }

  /** The events after an id, at least `floor`, that are younger than `sinceMs`. */
  after(id: number, sinceMs: number): RecentEvent[] {
    let first = this.#events.length
    while (first > 0 && this.#events[first - 1]!.id > id) first--
    return this.#events.slice(first).filter(({ createdAtMs }) => createdAtMs > sinceMs)
  }
}
