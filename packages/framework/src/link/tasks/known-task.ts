import type { TaskSchedule } from '../../author/entries.ts'

/** A task of the bot's files, as the supervisor knows it. */
export interface KnownTask {
  name: string
  file: string
  schedule: TaskSchedule
}

/** The schedule of a task whose file exports a plain function: it runs when a handler schedules it. */
export const unscheduled: TaskSchedule = { missed: 'once', retry: false }

/** A run that comes so much too late was missed. */
export const LATE_MS = 60_000

/** A store that fails is asked again after so long. */
export const RETRY_MS = 30_000

/** What another machine runs is looked at again after so long. */
export const OTHERS_MS = 5000

export const interruptedText = (file: string, atMs: number): string =>
  `${file}: its run of ${new Date(atMs).toISOString()} was interrupted and does not run again; set retry: true to repeat it`
