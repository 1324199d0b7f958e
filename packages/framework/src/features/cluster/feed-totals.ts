import type { FeedStats } from '@botwright/events'

/** The counts of the feed in one term, and how many events `catchUp` skipped. */
export interface TermStats extends FeedStats {
  skipped: number
}

const none: TermStats = {
  polls: 0,
  pollFailures: 0,
  received: 0,
  duplicates: 0,
  malformed: 0,
  started: 0,
  finished: 0,
  setAside: 0,
  waiting: 0,
  running: 0,
  cursor: 0,
  skipped: 0,
}

const counts = ['polls', 'pollFailures', 'received', 'duplicates', 'malformed', 'setAside', 'skipped'] as const

/** The counts of all terms in which this instance was the leader. */
export class FeedTotals {
  #past = none

  /** A term is over. */
  add(stats: TermStats): void {
    this.#past = this.with(stats)
  }

  /** Including the current feed; without one, nothing waits here. */
  with(stats: TermStats | undefined): TermStats {
    const { lastPollMs: _lastPollMs, oldest: _oldest, pollFailure: _pollFailure, ...past } = this.#past
    const sum = { ...past, ...(stats ?? { waiting: 0, running: 0 }) }
    for (const name of counts) sum[name] = this.#past[name] + (stats?.[name] ?? 0)
    return sum
  }
}
