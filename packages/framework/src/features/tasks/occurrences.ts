import { Cron } from 'croner'

/** The times of a schedule, milliseconds since 1970. */
export interface Occurrences {
  /** The first one after this time. */
  next(afterMs: number): number | undefined
  /** The last one up to this time. */
  latest(nowMs: number): number | undefined
}

/**
 * In the hour that a time zone skips, croner runs at its end (02:30 at 03:00); in the hour that occurs twice, a time of day
 * occurs once, and repetitions within the hour continue.
 */
export function cronOccurrences(pattern: string, timezone = 'UTC'): Occurrences {
  const cron = new Cron(pattern, { timezone, paused: true })
  return {
    next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime(),
    // Runs are on whole seconds, and those within the second of the reference count.
    latest: (nowMs) => cron.previousRuns(1, new Date(Math.floor(nowMs / 1000) * 1000 + 999))[0]?.getTime(),
  }
}

export const everyOccurrences = (everyMs: number): Occurrences => ({
  next: (afterMs) => (Math.floor(afterMs / everyMs) + 1) * everyMs,
  latest: (nowMs) => Math.floor(nowMs / everyMs) * everyMs,
})
