import type { RestStats } from '@botwright/rest'

/** The messages of one minute. */
export interface BudgetMinute {
  /** The beginning of the minute. */
  at: string
  /** Messages that the service accepted. */
  sent: number
  /** The most messages that counted against the budget at once, and that waited for it. */
  used: number
  waiting: number
  /** Responses with 429. */
  rate_limited: number
}

type Sample = Pick<RestStats, 'sent' | 'used' | 'waiting' | 'rateLimited'>
type Minute = Omit<BudgetMinute, 'at'> & { atMs: number }

const MINUTE_MS = 60_000
const MINUTES = 60

/** The message budget of the last hour, by the minute. */
export class BudgetMinutes {
  readonly #minutes: Minute[] = []
  #last: Sample = { sent: 0, used: 0, waiting: 0, rateLimited: 0 }

  /** Adds what has happened since the last sample to the current minute. */
  sample(now: Sample, nowMs: number): void {
    const atMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
    let minute = this.#minutes.at(-1)
    // If the clock was set back, so are the minutes.
    if (minute && atMs < minute.atMs - MINUTE_MS) {
      const aheadMs = minute.atMs - atMs
      for (const one of this.#minutes) one.atMs -= aheadMs
    }
    if (!minute || minute.atMs < atMs) {
      minute = { atMs, sent: 0, used: 0, waiting: 0, rate_limited: 0 }
      this.#minutes.push(minute)
      if (this.#minutes.length > MINUTES) this.#minutes.shift()
    }
    minute.sent += now.sent - this.#last.sent
    minute.rate_limited += now.rateLimited - this.#last.rateLimited
    minute.used = Math.max(minute.used, now.used)
    minute.waiting = Math.max(minute.waiting, now.waiting)
    this.#last = { ...now }
  }

  /** The minutes of the last hour, oldest first. Minutes without a sample, before the start or while the process was frozen, are missing. */
  list(nowMs: number): BudgetMinute[] {
    return this.#minutes
      .filter(({ atMs }) => atMs > nowMs - MINUTES * MINUTE_MS)
      .map(({ atMs, ...minute }) => ({ at: new Date(atMs).toISOString(), ...minute }))
  }
}
