import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { BoundedMap } from '@botwright/protocol/facts'

/** Of so many events the person and the file are kept. */
const MOST_EVENTS = 5000

interface RunningEvent {
  /** Until its file is known. */
  delivery?: Delivery | undefined
  /** Whose event it is. */
  person?: string | undefined
  file?: string | undefined
}

/** The persons and the files of the latest events. */
export class RunningEvents {
  readonly #events = new BoundedMap<EventKey, RunningEvent>(MOST_EVENTS)

  received(delivery: Delivery): void {
    const { author_id, user_id } = delivery.event.data
    const person = author_id ?? user_id
    this.#events.set(eventKey(delivery.event), { delivery, person: typeof person === 'string' ? person : undefined })
  }

  handledBy(key: EventKey, file: string | undefined): void {
    if (file === undefined) return
    const event = this.#events.get(key)
    if (!event) return void this.#events.set(key, { file })
    event.file = file
    event.delivery = undefined
  }

  of(key: EventKey): Readonly<RunningEvent> {
    return this.#events.get(key) ?? {}
  }
}
