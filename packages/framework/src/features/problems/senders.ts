import type { Delivery, EventKey } from '@botwright/events/event'
import type { MadeCall } from '../../runtime/ports/observer.ts'
import type { RunningEvents } from './running-events.ts'

const WINDOW_MS = 60_000
/** The budget allows 30 messages a minute (§8); a bot may have a larger one. */
const MOST_SENT = 1000

/** The user of the message budget. */
export interface Sender {
  /** Undefined if it is not known yet. */
  file: string | undefined
  person: string | undefined
  sent: number
  /** The messages of all files. */
  total: number
}

/** The messages of the last minute, by the events that they were sent for. Broadcasts are for none. */
export class Senders {
  readonly #events: RunningEvents
  readonly #sent: { atMs: number; eventId: EventKey }[] = []

  constructor(events: RunningEvents) {
    this.#events = events
  }

  /** Times are monotonic. */
  called({ eventId, name, error }: MadeCall, nowMs: number): void {
    if (name !== 'messages.create' || error !== undefined) return
    this.#sent.push({ atMs: nowMs, eventId })
    if (this.#sent.length > MOST_SENT) this.#sent.shift()
  }

  /** The deliveries of the last minute whose file is not known. */
  unknown(nowMs: number): Delivery[] {
    const events = new Set(this.#recent(nowMs).map(({ eventId }) => eventId))
    return [...events].flatMap((key) => {
      const { delivery, file } = this.#events.of(key)
      return delivery && file === undefined ? [delivery] : []
    })
  }

  /** The file and the person whose messages used most of the budget within the last minute. */
  most(nowMs: number): Sender | undefined {
    const senders = new Map<string, Sender>()
    const recent = this.#recent(nowMs)
    for (const { eventId } of recent) {
      const { file, person } = this.#events.of(eventId)
      const key = `${file} ${person}`
      const sender = senders.get(key) ?? { file, person, sent: 0, total: recent.length }
      sender.sent++
      senders.set(key, sender)
    }
    return [...senders.values()].toSorted((a, b) => b.sent - a.sent)[0]
  }

  #recent(nowMs: number) {
    return this.#sent.filter(({ atMs }) => atMs > nowMs - WINDOW_MS)
  }
}
