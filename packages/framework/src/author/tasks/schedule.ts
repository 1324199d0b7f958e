import type { Duration } from '../duration.ts'

/** When a task is to run: at a time, or after a while. A time that is over means at once. */
export type When = { at: Date | number | string } | { in: Duration }

/** A task that waits for its time. */
export interface Scheduled<P = unknown> {
  id: string
  at: Date
  payload: P
}

/** What `ctx.schedule(…)` gives, for `ctx.unschedule(…)`. A text like others, and one that nobody means to be read. */
export type ScheduledId = `${number}-${string}`
