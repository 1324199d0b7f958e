import { createHash } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import { type BotEvent, eventKey } from '@botwright/events/event'
import type { Log, StateStore } from '../../author/ports.ts'

/** Longer than the service keeps an event (§6: 1 day). */
const KEPT_MS = 2 * 24 * 60 * 60_000
/** An event that ends its invocation so often is set aside. */
const MOST_ATTEMPTS = 3

/** The stored state of an event. */
interface Mark {
  /** Until then, the invocation that runs it may still do so. Left out: it is done. */
  untilMs?: number
  attempt: number
  /** Its handlers could not begin at first. A click was acknowledged then. */
  again?: true
}

/** The right to run an event, the reason why another invocation has it, or the fact that it is done. */
export type EventClaim = Pick<Mark, 'attempt' | 'again'> | 'runs elsewhere' | 'done'

/** Marks the events of a bot in its store, so that each one runs once: it may arrive by webhook and by a poll, in two invocations. */
export class EventMarks {
  readonly #store: StateStore
  readonly #clock: Clock
  readonly #log: Log

  constructor({ store, clock, log }: { store: StateStore; clock: Clock; log: Log }) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  /**
   * Claims an event for an invocation that ends at `untilMs`. One whose invocation has ended before it was done is claimed again. Sets the era of
   * the event, which distinguishes it from another one that had its id before the service's ids started again.
   */
  async claim(event: BotEvent, untilMs: number): Promise<EventClaim> {
    event.era = eraOf(event)
    const key = keyOf(event)
    const expiresAtMs = this.#clock.now() + KEPT_MS
    const first: Mark = { untilMs, attempt: 1 }
    if (await this.#store.set(key, first, { expected: 0, expiresAtMs })) return { attempt: 1 }
    const stored = await this.#store.get(key)
    // Reads of some stores lag behind their writes.
    if (!stored) return 'runs elsewhere'
    const mark = stored.value as Mark
    if (mark.untilMs === undefined) return 'done'
    if (mark.untilMs > this.#clock.now()) return 'runs elsewhere'
    const attempt = mark.attempt + 1
    const next: Mark = attempt > MOST_ATTEMPTS ? { attempt: mark.attempt } : { untilMs, attempt }
    if (!(await this.#store.set(key, next, { expected: stored.version, expiresAtMs }))) return 'runs elsewhere'
    if (attempt <= MOST_ATTEMPTS) return { attempt, ...(mark.again && { again: true }) }
    this.#log.error(
      { event: event.id },
      `event ${event.id} (${event.type}) is set aside: its invocation ended ${MOST_ATTEMPTS} times before it was done`,
    )
    return 'done'
  }

  /** Runs a claimed event. If its handlers could not begin, its next claim has the same attempt, however often that happens. */
  async run(event: BotEvent, attempt: number, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const kept = (lost: Error) =>
        this.#log.warn(
          { event: event.id, error: lost },
          `event ${event.id} runs again only after the time of this invocation: ${lost.message}`,
        )
      // The error before it is the one to report.
      await this.#giveBack(event, attempt).catch(kept)
      throw error
    }
    const done: Mark = { attempt }
    await this.#store.set(keyOf(event), done, { expiresAtMs: this.#clock.now() + KEPT_MS })
  }

  /** Unless another invocation has claimed the event since. */
  async #giveBack(event: BotEvent, attempt: number): Promise<void> {
    const key = keyOf(event)
    const stored = await this.#store.get(key)
    const mark = stored?.value as Mark | undefined
    if (mark?.untilMs === undefined || mark.attempt !== attempt) return
    const free: Mark = { untilMs: 0, attempt: attempt - 1, again: true }
    await this.#store.set(key, free, { expected: stored!.version, expiresAtMs: this.#clock.now() + KEPT_MS })
  }
}

/** The same for each copy of an event, whenever it arrives: a number of its ids, which the service gives to no other event. */
function eraOf({ type, data }: BotEvent): number {
  const ids = Object.keys(data).filter((name) => name === 'id' || name.endsWith('_id'))
  const named = ids.sort().map((name) => [name, data[name]])
  return createHash('sha256')
    .update(JSON.stringify([type, named]))
    .digest()
    .readUIntBE(0, 6)
}

const keyOf = (event: BotEvent): string => `function:event:${eventKey(event)}`
