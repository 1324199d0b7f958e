import type { Clock, Timer } from '@botwright/clock'
import { type BotEvent, type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import { eventTypes, limits } from '@botwright/protocol/facts'
import { durationText } from '../../author/time/duration.ts'
import type { Log } from '../../author/ports.ts'
import { clickedAtMs, type MissedClicks } from './service-clock.ts'
import type { CatchUp, CatchUpLimit } from '../../author/config/config.ts'

/** Skipped events are logged together once none has been skipped for this time. */
const LOG_AFTER_MS = 500

/**
 * Skips events older than the `catchUp` limit of their type; skipped events count as finished.
 * Without a limit for clicks, it skips those that their users saw fail because the bot was offline.
 */
export class CatchUpRules {
  readonly #rules: CatchUp | undefined
  readonly #missed: Pick<MissedClicks, 'includes'> | undefined
  readonly #clock: Clock
  readonly #log: Log
  /** Decided when an event arrives, so that waiting in a queue does not make it too old. */
  readonly #skippedEvents = new Set<EventKey>()
  #failedClicks = 0
  /** The number of skipped events by type since the last log line. */
  #unlogged = new Map<string, number>()
  #oldestMs = 0
  #timer: Timer | undefined
  #skipped = 0

  constructor(
    rules: CatchUp | undefined,
    { clock, log, missed }: { clock: Clock; log: Log; missed?: Pick<MissedClicks, 'includes'> },
  ) {
    this.#rules = rules
    this.#missed = missed
    this.#clock = clock
    this.#log = log
  }

  /** The number of events skipped since startup. */
  get skipped(): number {
    return this.#skipped
  }

  /** Checks an event that arrives now, or arrived at `atMs`; returns whether it is skipped. */
  arrived(delivery: Delivery, atMs?: number): boolean {
    const { event, asked, attempt } = delivery
    // A replay runs however old it is, and so does an event whose handler was interrupted: it was not missed.
    if (asked || attempt > 1) return false
    if (event.type === 'interaction' && this.#rules?.interaction === undefined) return this.#arrivedClick(delivery)
    if (this.#rules === undefined) return false
    const nowMs = atMs ?? this.#clock.now()
    const ageMs = nowMs - Date.parse(event.created_at)
    const limit = this.#limitOf(event.type, this.#rules)
    // An invalid time gives NaN, which is never too old.
    const old = limit === 'open' ? !isOpen(event, nowMs) : limit !== 'all' && ageMs > limit
    if (!old) return false
    this.#oldestMs = Math.max(this.#oldestMs, ageMs)
    this.#unlogged.set(event.type, (this.#unlogged.get(event.type) ?? 0) + 1)
    this.#skip(event)
    return true
  }

  /** A stored click is not skipped, because an earlier process acknowledged it. */
  #arrivedClick({ event, kept }: Delivery): boolean {
    if (kept || !this.#missed?.includes(clickedAtMs(event))) return false
    this.#failedClicks++
    this.#skip(event)
    return true
  }

  /** Whether this is a click that was already too old at `atMs` to be answered in time, and no limit for clicks is set. */
  isLateClick(event: BotEvent, atMs: number): boolean {
    if (event.type !== 'interaction' || this.#rules?.interaction !== undefined) return false
    return atMs - clickedAtMs(event) > ANSWER_MS
  }

  /** Counts a click that its user saw fail because the bot was offline; the caller skips it. */
  countFailedClick(): void {
    this.#failedClicks++
    this.#count()
  }

  #skip(event: BotEvent): void {
    this.#skippedEvents.add(eventKey(event))
    this.#count()
  }

  #count(): void {
    this.#skipped++
    this.#timer?.cancel()
    this.#timer = this.#clock.after(LOG_AFTER_MS, () => this.logSkipped())
  }

  /** Why an event was skipped. */
  reasonOf({ type }: BotEvent): string {
    return type === 'interaction' && this.#rules?.interaction === undefined
      ? 'the bot was offline, and the user had already seen the click fail'
      : 'older than catchUp in bot.config.ts allows'
  }

  /** Whether the event is skipped. Called once, when it is the event's turn to run. */
  takeSkipped({ event }: Delivery): boolean {
    return this.#skippedEvents.size > 0 && this.#skippedEvents.delete(eventKey(event))
  }

  /** Logs the events skipped since the last call, one line for each reason. */
  logSkipped(): void {
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
    if (this.#unlogged.size === 0) return
    const types = Object.fromEntries(this.#unlogged)
    const count = [...this.#unlogged.values()].reduce((sum, one) => sum + one, 0)
    const each = [...this.#unlogged].map(([type, number]) => `${number} ${type}`).join(', ')
    const oldest = durationText(this.#oldestMs)
    this.#unlogged = new Map()
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
