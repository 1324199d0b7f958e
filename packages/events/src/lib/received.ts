import { type EventKey, eventKey, readEventKey } from './bot-event.ts'

/**
 * Tracks which ids were received, and up to which id all of them are finished. Ids increase, but are not consecutive: the watermark
 * moves along the received ids, never by id + 1, and reaches a poll's `last` when no received event is open.
 */
export class Received<T> {
  /** Everything received up to here is finished. */
  cursor: number
  /** The position of the last successful poll; the next poll requests later events. */
  polled: number
  /** How often the ids have started again. */
  era: number
  /** Received, but not finished: events of this era and of earlier ones. */
  readonly open = new Map<EventKey, T>()
  /** Ids of this era: received, above the cursor. */
  readonly #seen = new Set<number>()
  /** Ids above the cursor and up to `polled`, in order. The cursor has passed those before `#head`. */
  #order: number[] = []
  #head = 0
  /** Ids above `polled`: from the webhook, or finished before a restart. Only a poll shows that no earlier id is missing. */
  readonly #early = new Set<number>()

  /** `done`: events above the cursor that were finished before a restart. */
  constructor({ after, era = 0 }: { after: number; era?: number }, done: Iterable<EventKey>) {
    this.cursor = this.polled = after
    this.era = era
    for (const key of done) {
      const { id, era: its } = readEventKey(key)!
      if (its !== era || id <= after) continue
      this.#seen.add(id)
      this.#early.add(id)
    }
  }

  /** Whether an id of this era is at or below the cursor, or was received before. */
  isKnown(id: number): boolean {
    return id <= this.cursor || this.#seen.has(id)
  }

  /** The open event that was received first. */
  get oldest(): T | undefined {
    for (const entry of this.open.values()) return entry
    return undefined
  }

  /** Adds an unknown id of this era, which stays open until it is deleted from `open`. */
  add(id: number, entry: T): void {
    this.#seen.add(id)
    this.open.set(this.#keyOf(id), entry)
    if (id <= this.polled) this.#insert(id)
    else this.#early.add(id)
  }

  /** Records that a poll returned every event up to `last`. */
  reached(last: number): void {
    this.polled = last
    if (this.#early.size === 0) return
    const passed: number[] = []
    for (const id of this.#early) if (id <= last) passed.push(id)
    passed.sort((a, b) => a - b)
    for (const id of passed) {
      this.#early.delete(id)
      this.#insert(id)
    }
  }

  /** Moves the cursor past the finished events, and returns it. */
  advance(): number {
    const order = this.#order
    while (this.#head < order.length && !this.open.has(this.#keyOf(order[this.#head]!))) {
      this.cursor = order[this.#head++]!
      this.#seen.delete(this.cursor)
    }
    if (this.#head === order.length) {
      order.length = this.#head = 0
      this.cursor = Math.max(this.cursor, this.polled)
    } else if (this.#head > 4096) {
      this.#order = order.slice(this.#head)
      this.#head = 0
    }
    return this.cursor
  }

  /** The service's ids started again, up to `last`: a new era. Open events keep running, but do not block the cursor. */
  reset(last: number): void {
    this.era++
    this.cursor = this.polled = last
    this.#seen.clear()
    this.#early.clear()
    this.#order = []
    this.#head = 0
  }

  #keyOf(id: number): EventKey {
    return eventKey({ id, era: this.era })
  }

  #insert(id: number): void {
    const order = this.#order
    let at = order.length
    while (at > this.#head && order[at - 1]! > id) at--
    if (at === order.length) order.push(id)
    else order.splice(at, 0, id)
  }
}
