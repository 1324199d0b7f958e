/**
 * Which ids were received, and up to where all of them are finished. Ids rise, but are not consecutive: the watermark
 * moves along the ids received, never by id + 1, and reaches a poll's `last` when nothing received is open.
 */
export class Received<T> {
  /** Everything received up to here is finished. */
  cursor: number
  /** The position of the last good poll: the next one asks for what comes after it. */
  polled: number
  /** Received and not finished. */
  readonly open = new Map<number, T>()
  /** Received, above the cursor. */
  readonly #seen = new Set<number>()
  /** Ids above the cursor and up to `polled`, rising; those before `#head` are passed. */
  #order: number[] = []
  #head = 0
  /** Seen above `polled`: by the webhook, or finished before a restart. Only a poll can say that none is missing before them. */
  readonly #early = new Set<number>()

  /** `done`: ids above the cursor that were finished before a restart. */
  constructor(cursor: number, done: Iterable<number>) {
    this.cursor = this.polled = cursor
    for (const id of done) {
      if (id <= cursor) continue
      this.#seen.add(id)
      this.#early.add(id)
    }
  }

  /** Whether the id is at or below the cursor, or was received before. */
  isKnown(id: number): boolean {
    return id <= this.cursor || this.#seen.has(id)
  }

  /** What was received first of all that is open. */
  get oldest(): T | undefined {
    for (const entry of this.open.values()) return entry
    return undefined
  }

  /** Adds an id that is not known; it stays open until it is deleted from `open`. */
  add(id: number, entry: T): void {
    this.#seen.add(id)
    this.open.set(id, entry)
    if (id <= this.polled) this.#place(id)
    else this.#early.add(id)
  }

  /** A poll has brought everything up to `last`. */
  reached(last: number): void {
    this.polled = last
    if (this.#early.size === 0) return
    const passed: number[] = []
    for (const id of this.#early) if (id <= last) passed.push(id)
    passed.sort((a, b) => a - b)
    for (const id of passed) {
      this.#early.delete(id)
      this.#place(id)
    }
  }

  /** Moves the cursor over what is finished, and returns it. */
  advance(): number {
    const order = this.#order
    while (this.#head < order.length && !this.open.has(order[this.#head]!)) {
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

  /** The service's ids began anew after `last`. What is open runs on, but holds nothing up. */
  reset(last: number): void {
    this.cursor = this.polled = last
    this.#seen.clear()
    this.#early.clear()
    this.#order = []
    this.#head = 0
  }

  #place(id: number): void {
    const order = this.#order
    let at = order.length
    while (at > this.#head && order[at - 1]! > id) at--
    if (at === order.length) order.push(id)
    else order.splice(at, 0, id)
  }
}
