import type { Clock, Timer } from '@botwright/clock'
import type { BotEvent } from '@botwright/events'
import { limits } from '@botwright/protocol/facts'

const ANSWER_MS = limits.interaction.answer_seconds * 1000
const OPEN_MS = limits.interaction.open_seconds * 1000
/** A saved difference of the clocks is replaced by one that differs by more. */
const SAVE_FROM_MS = 250
/** The date of a response shows only a difference of more than this: it has whole seconds, and a response takes time. */
const DATE_FROM_MS = 10_000

/** Keeps the difference of the clocks for the next start. */
export interface SavedDifference {
  read(): number
  write(aheadMs: number): void
}

/**
 * The service's time, on the monotonic clock of this host, whose own time may be wrong or jump. It is learned from events that arrive as
 * they happen. Until then it is the host's time, corrected by what an earlier process learned, or by the date of the last response.
 */
export class ServiceClock implements Clock {
  readonly #host: Clock
  readonly #saved: SavedDifference | undefined
  readonly #dateAheadMs: () => number | undefined
  #savedAheadMs: number
  /** The service's time minus the monotonic time. */
  #baseMs: number | undefined

  /** Without `saved`, no answer is refused as late before this has learned: see `leftMs`. `dateAheadMs`: that of the last response. */
  constructor(host: Clock, saved?: SavedDifference, dateAheadMs = (): number | undefined => undefined) {
    this.#host = host
    this.#dateAheadMs = dateAheadMs
    this.#saved = saved
    // If the host was behind the service, its clock may be right by now. A clock that is behind makes no click look too old.
    this.#savedAheadMs = Math.min(saved?.read() || 0, 0)
  }

  now(): number {
    if (this.#baseMs === undefined) return this.#host.now() + this.#unlearnedAheadMs
    return Math.floor(this.#host.monotonic() + this.#baseMs)
  }
  monotonic(): number {
    return this.#host.monotonic()
  }
  after(ms: number, fire: () => void, options?: { keepAlive?: boolean }): Timer {
    return this.#host.after(ms, fire, options)
  }

  /** The clock of the host may have become wrong, or right, since the earlier process. */
  get #unlearnedAheadMs(): number {
    const ms = this.#dateAheadMs() ?? this.#savedAheadMs
    return Math.abs(ms - this.#savedAheadMs) > DATE_FROM_MS ? ms : this.#savedAheadMs
  }

  get isLearned(): boolean {
    return this.#baseMs !== undefined
  }
  /** How long it is until a time of the service; infinite while this clock is not known to be right. */
  leftMs(untilMs: number): number {
    return this.isLearned || this.#saved ? untilMs - this.now() : Infinity
  }
  /** How far the service's time is ahead of the host's, in milliseconds. */
  get aheadOfHostMs(): number {
    return this.now() - this.#host.now()
  }

  /** Learns from a time of the service: it is the present (`isNow`), or past. */
  learn(atMs: number, isNow: boolean): void {
    if (!Number.isFinite(atMs)) return
    const baseMs = atMs - this.#host.monotonic()
    if (!isNow && !(this.#baseMs !== undefined && baseMs > this.#baseMs)) return
    this.#baseMs = baseMs
    const aheadMs = this.aheadOfHostMs
    if (!this.#saved || Math.abs(aheadMs - this.#savedAheadMs) <= SAVE_FROM_MS) return
    this.#savedAheadMs = aheadMs
    this.#saved.write(aheadMs)
  }

  /** Learns from an event that the webhook pushed `agoMs` ago: the service pushes each event once, as it happens (§8). */
  pushed(event: BotEvent, agoMs = 0): void {
    if (event.type === 'interaction') this.learn(clickedAtMs(event) + agoMs, true)
  }
}

/** When a click was made, from `expires_at`: in a webhook copy, `created_at` is the time of its arrival. */
export function clickedAtMs({ data, created_at }: BotEvent): number {
  const { expires_at } = data
  const endMs = typeof expires_at === 'string' ? Date.parse(expires_at) : NaN
  return Number.isNaN(endMs) ? Date.parse(created_at) : endMs - OPEN_MS
}

/** The part of a poll response that is read, unchecked. */
interface PollResponse {
  events?: unknown
  last?: unknown
}

/** A page with this many events is probably not the last page of the backlog. */
const FULL_PAGE = 50
/** A poll that took this long ended with an event that had just happened. */
const WAITED_MS = 1000

/**
 * Detects clicks that the bot received too late: made after the last successful poll before it was offline (stopped or disconnected),
 * and more than 3 s old (§3) when it receives them. Clicks received earlier were acknowledged, whether they ran or not.
 * Applies only to the backlog; the service's clock is learned from the events that follow it.
 */
export class MissedClicks {
  readonly #service: ServiceClock
  readonly #savedAtMs: number
  /** The service's time at the last response with new events. */
  #receivedUntilMs: number | undefined
  #offline = true
  /** The newest known event of the service: a poll after an earlier one does not wait. */
  #newest = 0
  /** Whether that was its newest event at the last response, `#answeredMs` on the monotonic clock. */
  #isNewest = false
  #answeredMs = 0

  /** `savedAtMs`: when the position was saved, by the host's clock; in a cluster, by the one that all instances share. */
  constructor(service: ServiceClock, savedAtMs: number) {
    this.#service = service
    this.#savedAtMs = savedAtMs
  }

  /** Watches one poll. `after` 0 requests only the newest id. */
  watch<T>(after: number, poll: Promise<T>): Promise<T> {
    const sentMs = this.#service.monotonic()
    poll.then((response) => this.#succeeded(response, after, sentMs), this.#failed)
    return poll
  }

  /** Whether a click made at that time of the service arrives now, after its user saw it fail. */
  includes(clickedAtMs: number): boolean {
    if (!this.#offline) return false
    const receivedUntilMs = this.#receivedUntilMs ?? this.#savedAtMs + this.#service.aheadOfHostMs
    return clickedAtMs > receivedUntilMs && this.#service.now() - clickedAtMs > ANSWER_MS
  }

  #succeeded(response: unknown, after: number, sentMs: number): void {
    const { events, last } = (response ?? {}) as PollResponse
    const page: readonly unknown[] = Array.isArray(events) ? events : []
    const nowMs = this.#service.monotonic()
    const formerMs = this.#answeredMs
    const newest = this.#newest
    const isNew = this.#isNewest && after >= newest
    this.#answeredMs = nowMs
    const isLast = typeof last === 'number' && (page.length === 0 || (page.length < FULL_PAGE && last >= newest))
    this.#isNewest = isLast
    if (typeof last === 'number') this.#newest = isLast ? last : Math.max(last, newest)
    if (after === 0) return
    // After a failure, a slow connection can look like a wait: the clock then decides, once it is learned.
    const mayWait = isNew || (after >= newest && !this.#service.isLearned)
    const waited = nowMs - sentMs >= WAITED_MS && mayWait
    const { created_at } = (page.at(-1) ?? {}) as { created_at?: unknown }
    const isNow = waited || (isNew && nowMs - formerMs < WAITED_MS)
    if (typeof created_at === 'string') this.#service.learn(Date.parse(created_at), isNow)
    if (isNew || waited) this.#offline = false
    if (!this.#offline) this.#receivedUntilMs = this.#service.now()
  }

  readonly #failed = (): void => {
    this.#offline = true
    this.#isNewest = false
  }
}
