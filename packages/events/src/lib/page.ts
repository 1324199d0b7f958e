import { type BotEvent, isObject, readEvent } from './bot-event.ts'

/** A valid response of `GET /events` (§4). */
export interface Page {
  /** In order of id; each id once. */
  events: BotEvent[]
  last: number
  /** The reasons why events were skipped. */
  malformed: string[]
}

/** Reads a response leniently. Returns the reason if it is unusable; the cursor must not move then. */
export function readPage(value: unknown, nowMs: number): Page | string {
  if (!isObject(value)) return 'it is not an object'
  if (!Array.isArray(value['events'])) return '"events" is not a list'
  let last = value['last']
  if (!Number.isSafeInteger(last) || (last as number) < 0) return '"last" is not a non-negative integer'
  const events: BotEvent[] = []
  const malformed: string[] = []
  let sorted = true
  let former = 0
  for (const entry of value['events']) {
    const event = readEvent(entry, nowMs)
    if (typeof event === 'string') {
      malformed.push(event)
      continue
    }
    if (event.id <= former) sorted = false
    former = event.id
    events.push(event)
  }
  if (!sorted) events.sort((a, b) => a.id - b.id)
  // If `last` were below an id of the same page, each poll would return that event again. 0 would mean "from now" (decisions, row 35).
  last = Math.max(last as number, events.at(-1)?.id ?? 0, 1)
  return { events, last: last as number, malformed }
}
