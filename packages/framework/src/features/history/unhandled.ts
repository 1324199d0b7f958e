import { isUnhandled } from '@botwright/protocol/timeline'
import { describeEvent } from './event-words.ts'
import type { RecordedEvent } from './recorded-event.ts'

/** Events in a row that no file handled. */
export interface UnhandledEvents {
  /** The oldest and the newest. */
  first: RecordedEvent
  last: RecordedEvent
  /** How many there are of each type. */
  types: Map<string, number>
}

/** A row of a list: an event, or those in a row that no file handled. */
export type EventRow = RecordedEvent | UnhandledEvents

/** Whether lists fold a recorded event: see `isUnhandled`. */
export const isUnhandledEvent = ({ type, data, result }: Pick<RecordedEvent, 'type' | 'data' | 'result'>): boolean =>
  isUnhandled({ result, type, title: describeEvent({ type, data: data ?? {} }, '').what })

/** Collects rows of events, which are in the order of a recording, or in the opposite one. */
export class EventRows {
  readonly #rows: EventRow[] = []

  add(event: RecordedEvent): void {
    const last = this.#rows.at(-1)
    if (!isUnhandledEvent(event)) return void this.#rows.push(event)
    if (!last || !('types' in last)) {
      this.#rows.push({ first: event, last: event, types: new Map([[event.type, 1]]) })
      return
    }
    if (event.seq < last.first.seq) last.first = event
    if (event.seq > last.last.seq) last.last = event
    last.types.set(event.type, (last.types.get(event.type) ?? 0) + 1)
  }

  /** A single event is itself. */
  get rows(): EventRow[] {
    return this.#rows.map((row) => ('types' in row && row.first === row.last ? row.first : row))
  }
}
