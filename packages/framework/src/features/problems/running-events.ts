import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { BoundedMap } from '@botwright/protocol/facts'

/** Of so many events the person, the server and the file are kept. */
const MOST_EVENTS = 5000

interface RunningEvent {
  /** Until its file is known. */
  delivery?: Delivery | undefined
  /** Whose event it is. */
  person?: string | undefined
  /** Undefined for direct messages. */
  server?: string | undefined
  file?: string | undefined
  /** On the monotonic clock. */
  startedMs?: number | undefined
}

const idOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The persons, the servers and the files of the latest events. */
export class RunningEvents {
  readonly #events = new BoundedMap<EventKey, RunningEvent>(MOST_EVENTS)

  received(delivery: Delivery): void {
    const { author_id, user_id, server_id } = delivery.event.data
    this.#events.set(eventKey(delivery.event), {
      delivery,
      person: idOf(author_id ?? user_id),
      server: idOf(server_id),
    })
  }

  started({ event }: Delivery, nowMs: number): void {
    const known = this.#events.get(eventKey(event))
    if (known) known.startedMs = nowMs
  }

  /** Without a file: no handler is for it. */
  handledBy(key: EventKey, file: string | undefined): void {
    const event = this.#events.get(key)
    if (!event) return void (file !== undefined && this.#events.set(key, { file }))
    event.file = file ?? event.file
    event.delivery = undefined
  }

  /** Whether the file of an event is not known yet. */
  isUnknown({ event }: Delivery): boolean {
    return this.of(eventKey(event)).file === undefined
  }

  of(key: EventKey): Readonly<RunningEvent> {
    return this.#events.get(key) ?? {}
  }
}
