import type { Delivery, EventKey } from '@botwright/events/event'
import type { MadeCall } from '../../runtime/ports/observer.ts'
import type { RunningEvents } from './running-events.ts'

const WINDOW_MS = 60_000
/** The budget allows 30 messages a minute (§8); a bot may have a larger one. */
const MOST_SENT = 1000

/** The file that sent most of the messages. */
export interface Sender {
  /** Undefined if it is not known yet. */
  file: string | undefined
  /** The person whom more than half of them are for. */
  person: string | undefined
  sent: number
  /** The messages of all files. */
  total: number
}

/** The messages of the last minute, by the events that they were sent for. Broadcasts are for none. */
export class Senders {
  readonly #events: RunningEvents
  /** On the monotonic clock. */
  readonly #sent: { atMs: number; eventId: EventKey }[] = []

  constructor(events: RunningEvents) {
    this.#events = events
  }

  /** Times are monotonic. */
  called({ eventId, name, error }: MadeCall, atMs: number): void {
    if (name !== 'messages.create' || error !== undefined) return
    this.#sent.push({ atMs, eventId })
    if (this.#sent.length > MOST_SENT) this.#sent.shift()
  }

  /** The deliveries of the last minute whose file is not known. */
  unknown(monotonicMs: number): Delivery[] {
    const events = new Set(this.#recent(monotonicMs).map(({ eventId }) => eventId))
    return [...events].flatMap((key) => {
      const { delivery, file } = this.#events.of(key)
      return delivery && file === undefined ? [delivery] : []
    })
  }

  /** The file with the most messages within the last minute. */
  most(monotonicMs: number): Sender | undefined {
    const recent = this.#recent(monotonicMs).map(({ eventId }) => this.#events.of(eventId))
    const [most] = countsOf(recent.map(({ file }) => file))
    if (!most) return undefined
    const [file, sent] = most
    const [[person, own] = [undefined, 0]] = countsOf(recent.flatMap((one) => (one.file === file ? [one.person] : [])))
    return { file, sent, total: recent.length, person: own > sent / 2 ? person : undefined }
  }

  #recent(monotonicMs: number) {
    return this.#sent.filter(({ atMs }) => atMs > monotonicMs - WINDOW_MS)
  }
}

/** How often each value occurs, the most frequent first. */
function countsOf(values: readonly (string | undefined)[]): [value: string | undefined, count: number][] {
  const counts = new Map<string | undefined, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}
