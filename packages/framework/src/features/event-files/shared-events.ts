import type { EventKey } from '@botwright/events/event'

/** The running files of events that several files may handle: the bot's and those of plugins. */
export class SharedEvents {
  readonly #running = new Map<EventKey, Set<string>>()
  readonly #park: (event: EventKey) => void

  /** `park`: lets the queue of an event continue although its handlers have not ended. */
  constructor(park: (event: EventKey) => void) {
    this.#park = park
  }

  /** These files may handle an event. */
  begins(event: EventKey, files: Iterable<string>): void {
    this.#running.set(event, new Set(files))
  }

  /** A file waits for a user. The event is parked once the other files have ended or wait, too: a crash must not lose their work. */
  park(event: EventKey, file: string): void {
    if (this.#running.has(event)) this.leaves(event, file)
    else this.#park(event)
  }

  /** The files that have neither ended nor wait for a user. Undefined if none does, or if one file alone handles the event. */
  running(event: EventKey): readonly string[] | undefined {
    const files = this.#running.get(event)
    return files && [...files]
  }

  /** A file has ended, does not run, or waits for a user. Returns whether others still run. */
  leaves(event: EventKey, file: string): boolean {
    const files = this.#running.get(event)
    if (!files?.delete(file)) return files !== undefined
    if (files.size > 0) return true
    this.#running.delete(event)
    this.#park(event)
    return false
  }
}
