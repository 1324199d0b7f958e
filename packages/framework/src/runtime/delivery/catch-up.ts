import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent, Delivery } from '@botwright/events/event'
import { eventTypes, limits } from '@botwright/protocol/facts'
import { durationText } from '../../author/duration.ts'
import type { Log } from '../../author/ports.ts'
import type { Away } from './away.ts'
import type { CatchUp, CatchUpLimit } from '../../author/config/config.ts'

/** Events that are passed over in one go are told together, when none has come for so long. */
const TELL_AFTER_MS = 500

/**
 * Passes over what happened too long ago, by the rule of its type (`catchUp`). What is passed over counts as finished.
 * Clicks have a rule without being asked: those that their people saw fail, because the bot was away, have no effect later on.
 */
export class CatchUpRules {
  readonly #rules: CatchUp | undefined
  readonly #away: Away | undefined
  readonly #clock: Clock
  readonly #log: Log
  /** Decided when an event arrives: a busy lane makes nothing too old. */
  readonly #passed = new Set<number>()
  readonly #exempt = new Set<number>()
  #failedClicks = 0
  #untold = new Map<string, number>()
  #oldestMs = 0
  #timer: Timer | undefined
  #skipped = 0

  constructor(rules: CatchUp | undefined, { clock, log, away }: { clock: Clock; log: Log; away?: Away }) {
    this.#rules = rules
    this.#away = away
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

  /** Looks at an event when it arrives: now, or at `atMs`. True: it is passed over. */
  arrived(delivery: Delivery, atMs?: number): boolean {
    const { id, event } = delivery
    if (this.#exempt.size > 0 && this.#exempt.delete(id)) return false
    if (event.type === 'interaction' && this.#rules?.interaction === undefined) return this.#arrivedClick(delivery)
    if (this.#rules === undefined) return false
    const nowMs = atMs ?? this.#clock.now()
    const ageMs = nowMs - Date.parse(event.created_at)
    const limit = this.#limitOf(event.type, this.#rules)
    // A time that cannot be read makes nothing too old.
    const old = limit === 'open' ? !isOpen(event, nowMs) : limit !== 'all' && ageMs > limit
    if (!old) return false
    this.#oldestMs = Math.max(this.#oldestMs, ageMs)
    this.#untold.set(event.type, (this.#untold.get(event.type) ?? 0) + 1)
    this.#pass(id)
    return true
  }

  /** A click that runs again belongs to one that a former process had acknowledged. */
  #arrivedClick({ id, event, redelivered }: Delivery): boolean {
    if (redelivered || !this.#away?.unheard(clickedAtMs(event))) return false
    this.#failedClicks++
    this.#pass(id)
    return true
  }

  /** Whether it is a click that was too old at `atMs` to be answered in time, and for which no rule is set. */
  isLateClick(event: BotEvent, atMs: number): boolean {
    if (event.type !== 'interaction' || this.#rules?.interaction !== undefined) return false
    return atMs - clickedAtMs(event) > ANSWER_MS
  }

  /** A click that its clicker saw fail, because the bot was away: it is passed over at once. */
  failed(): void {
    this.#failedClicks++
    this.#skip()
  }

  #pass(id: number): void {
    this.#passed.add(id)
    this.#skip()
  }

  #skip(): void {
    this.#skipped++
    this.#timer?.cancel()
    this.#timer = this.#clock.after(TELL_AFTER_MS, () => this.tell())
  }

  /** Why an event was skipped. */
  reasonOf({ type }: BotEvent): string {
    return type === 'interaction' && this.#rules?.interaction === undefined
      ? 'the bot was offline, and the user had already seen the click fail'
      : 'older than catchUp in bot.config.ts allows'
  }

  /** Whether the event was passed over; asked once, in its turn. */
  passes({ id }: Delivery): boolean {
    return this.#passed.size > 0 && this.#passed.delete(id)
  }

  /** Tells what was passed over since it was last told, in one line for each reason. */
  tell(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#failedClicks > 0) {
      const clicks = this.#failedClicks
      this.#failedClicks = 0
      this.#log.info(
        { skipped: clicks, types: { interaction: clicks } },
        `${clicks} ${clicks === 1 ? 'click was' : 'clicks were'} skipped: made while the bot was offline, so users saw them fail. Set catchUp: { interaction: 'open' } in bot.config.ts to run such clicks`,
      )
    }
    if (this.#untold.size === 0) return
    const types = Object.fromEntries(this.#untold)
    const count = [...this.#untold.values()].reduce((sum, one) => sum + one, 0)
    const each = [...this.#untold].map(([type, number]) => `${number} ${type}`).join(', ')
    const oldest = durationText(this.#oldestMs)
    this.#untold = new Map()
    this.#oldestMs = 0
    this.#log.info(
      { skipped: count, types },
      `${count} ${count === 1 ? 'event was' : 'events were'} skipped because of catchUp (${each}; the oldest was ${oldest} old)`,
    )
  }

  #limitOf(type: string, rules: CatchUp): CatchUpLimit {
    const own = isListed(type) ? rules[type] : rules.unknown
    return own ?? rules.default ?? 'all'
  }
}

const isListed = (type: string): type is (typeof eventTypes)[number] => (eventTypes as readonly string[]).includes(type)

const ANSWER_MS = limits.interaction.answer_seconds * 1000
const OPEN_MS = limits.interaction.open_seconds * 1000

/** A click may be answered for 15 minutes (§3). */
function isOpen(event: BotEvent, nowMs: number): boolean {
  const endMs = clickedAtMs(event) + OPEN_MS
  return Number.isNaN(endMs) || nowMs < endMs
}

/** When the click was made. What came by the webhook bears the time of its arrival, but its end is the click's own. */
function clickedAtMs({ data, created_at }: BotEvent): number {
  const { expires_at } = data
  const endMs = typeof expires_at === 'string' ? Date.parse(expires_at) : NaN
  return Number.isNaN(endMs) ? Date.parse(created_at) : endMs - OPEN_MS
}
