import type { Delivery } from '@botwright/events/event'
import { eventTypes } from '@botwright/protocol/facts'
import type { Log } from '../../author/ports.ts'
import type { Observer } from '../../runtime/ports/observer.ts'

const known: ReadonlySet<string> = new Set(eventTypes)
/** Limits memory and log lines in case the service keeps sending new types. */
const MAX_LOGGED_TYPES = 20
const SHOWN_CHARACTERS = 60

/** Counts the events of types that this version does not support, and logs each type once. */
export class UnknownTypes implements Observer {
  readonly #logged = new Set<string>()
  readonly #log: Log
  #count = 0

  constructor(log: Log) {
    this.#log = log
  }

  get count(): number {
    return this.#count
  }

  received({ event: { type } }: Delivery): void {
    if (known.has(type)) return
    this.#count++
    if (this.#logged.has(type) || this.#logged.size >= MAX_LOGGED_TYPES) return
    this.#logged.add(type)
    const shown = JSON.stringify(type.slice(0, SHOWN_CHARACTERS))
    this.#log.info(
      { type: shown },
      `received events of the type ${shown}, which this version does not support: events/unknown.ts handles them, if it exists`,
    )
  }
}
