import type { EventKey } from '@botwright/events/event'

/** The running files of events that several files handle: the bot's and those of plugins. */
export class SharedEvents {
  readonly #running = new Map<EventKey, Set<string>>()
  readonly #park: (event: EventKey) => void

  /** `park`: lets the queue of an event continue although its handlers have not ended. */
  constructor(park: (event: EventKey) => void) {
    this.#park = park
  }

  /** Waits for the runs of one event's files. */
  async ended(event: EventKey, runs: readonly { file: string; ended: Promise<void> }[]): Promise<void> {
    const files = new Set(runs.map(({ file }) => file))
    this.#running.set(event, files)
    const end = ({ file, ended }: (typeof runs)[number]) => ended.finally(() => this.#leave(event, files, file))
    await Promise.all(runs.map(end))
  }

  /** A file waits for a user. The event is parked once the other files have ended or wait, too: a crash must not lose their work. */
  park(event: EventKey, file: string): void {
    const files = this.#running.get(event)
    if (files) this.#leave(event, files, file)
    else this.#park(event)
  }

  /** The files that have neither ended nor wait for a user. Undefined if one file alone handles the event. */
  running(event: EventKey): readonly string[] | undefined {
    const files = this.#running.get(event)
    return files && [...files]
  }

  #leave(event: EventKey, files: Set<string>, file: string): void {
    if (!files.delete(file) || files.size > 0) return
    if (this.#running.get(event) === files) this.#running.delete(event)
    this.#park(event)
  }
}
