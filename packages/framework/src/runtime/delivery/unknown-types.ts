import type { BotEvent } from '@botwright/events/event'
import { eventTypes } from '@botwright/protocol/facts'
import type { Log } from '../../author/ports.ts'

const known: ReadonlySet<string> = new Set(eventTypes)
/** A service that invents types without end fills neither the memory nor the log. */
const MOST_TOLD = 20
const SHOWN_CHARACTERS = 60

/** Counts the events of types that this version does not know, and tells of each type once. */
export class UnknownTypes {
  readonly #told = new Set<string>()
  readonly #log: Log
  #count = 0

  constructor(log: Log) {
    this.#log = log
  }

  get count(): number {
    return this.#count
  }

  received({ type }: BotEvent): void {
    if (known.has(type)) return
    this.#count++
    if (this.#told.has(type) || this.#told.size >= MOST_TOLD) return
    this.#told.add(type)
    const shown = JSON.stringify(type.slice(0, SHOWN_CHARACTERS))
    this.#log.info(
      { type: shown },
      `received events of the type ${shown}, which this version does not support: events/unknown.ts handles them, if it exists`,
    )
  }
}
