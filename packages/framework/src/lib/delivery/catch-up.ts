import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import { eventTypes, limits } from '@botwright/protocol/facts'
import { durationText } from '../duration.ts'
import type { Log } from '../ports.ts'
import type { CatchUp, CatchUpLimit } from './catch-up-limit.ts'

/** Events that are passed over in one go are told together, when none has come for so long. */
const TELL_AFTER_MS = 500

/** Passes over what happened too long ago, by the rule of its type (`catchUp`). What is passed over counts as finished. */
export class CatchUpRules {
  readonly #rules: CatchUp
  readonly #clock: Clock
  readonly #log: Log
  /** Decided when an event arrives: a busy lane makes nothing too old. */
  readonly #passed = new Set<number>()
  readonly #exempt = new Set<number>()
  #untold = new Map<string, number>()
  #oldestMs = 0
  #timer: Timer | undefined
  #skipped = 0

  constructor(rules: CatchUp, clock: Clock, log: Log) {
    this.#rules = rules
    this.#clock = clock
    this.#log = log
  }

  /** How many events were passed over since the start. */
  get skipped(): number {
    return this.#skipped
  }

  /** An event that somebody asked for by its id runs, however old it is. */
  exempt(id: number): void {
    this.#exempt.add(id)
  }

  /** Looks at an event when it arrives (`nowMs`). True: it is passed over. */
  arrived({ id, event }: Delivery, nowMs = this.#clock.now()): boolean {
    if (this.#exempt.delete(id)) return false
    const ageMs = nowMs - Date.parse(event.created_at)
    const limit = this.#limitOf(event.type)
    // A time that cannot be read makes nothing too old.
    const old = limit === 'open' ? !isOpen(event, nowMs) : limit !== 'all' && ageMs > limit
    if (!old) return false
    this.#passed.add(id)
    this.#skipped++
    this.#oldestMs = Math.max(this.#oldestMs, ageMs)
    this.#untold.set(event.type, (this.#untold.get(event.type) ?? 0) + 1)
    this.#timer?.cancel()
    this.#timer = this.#clock.after(TELL_AFTER_MS, () => this.tell())
    return true
  }

  /** Whether the event was passed over; asked once, in its turn. */
  passes({ id }: Delivery): boolean {
    return this.#passed.size > 0 && this.#passed.delete(id)
  }

  /** Tells what was passed over since it was last told, in one line. */
  tell(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#untold.size === 0) return
    const types = Object.fromEntries(this.#untold)
    const count = [...this.#untold.values()].reduce((sum, one) => sum + one, 0)
    const each = [...this.#untold].map(([type, number]) => `${number} ${type}`).join(', ')
    const oldest = durationText(this.#oldestMs)
    this.#untold = new Map()
    this.#oldestMs = 0
    this.#log.info(
      { skipped: count, types },
      `${count} ${count === 1 ? 'event was' : 'events were'} passed over as catchUp says (${each}; the oldest was ${oldest} old)`,
    )
  }

  #limitOf(type: string): CatchUpLimit {
    const rules = this.#rules
    const own = isListed(type) ? rules[type] : rules.unknown
    return own ?? rules.default ?? 'all'
  }
}

const isListed = (type: string): type is (typeof eventTypes)[number] => (eventTypes as readonly string[]).includes(type)

/** A click may be answered for 15 minutes (§3). */
function isOpen({ data, created_at }: BotEvent, nowMs: number): boolean {
  const { expires_at } = data
  const told = typeof expires_at === 'string' ? Date.parse(expires_at) : NaN
  const endMs = Number.isNaN(told) ? Date.parse(created_at) + limits.interaction.open_seconds * 1000 : told
  return Number.isNaN(endMs) || nowMs < endMs
}
