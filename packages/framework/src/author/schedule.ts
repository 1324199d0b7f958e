import type { Duration } from './time/duration.ts'

/** When a task runs: at a time, or after a delay. A past time means at once. */
export type When = { at: Date | number | string } | { in: Duration }

/** A scheduled run of a task. */
export interface Scheduled<P = unknown> {
  id: string
  at: Date
  payload: P
}

/** The result of `ctx.schedule(…)`, for `ctx.unschedule(…)`. A text, but not one for users to read. */
export type ScheduledId = `${number}-${string}`
