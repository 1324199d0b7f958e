import type { TaskSchedule } from '../../author/files/entries.ts'
import { cronOccurrences } from '../tasks/occurrences.ts'

/** How many runs of a schedule are compared. */
const COMPARED = 50

/** The shortest time between two runs of a schedule, in milliseconds; undefined for a task that runs only when a handler schedules it. */
export function shortestGapMs({ cron, everyMs }: Pick<TaskSchedule, 'cron' | 'everyMs'>): number | undefined {
  if (cron === undefined) return everyMs
  const times = cronOccurrences(cron)
  let gapMs = Infinity
  let former: number | undefined
  for (let i = 0, at = times.next(0); i < COMPARED && at !== undefined; i++, at = times.next(at)) {
    if (former !== undefined) gapMs = Math.min(gapMs, at - former)
    former = at
  }
  return gapMs
}
