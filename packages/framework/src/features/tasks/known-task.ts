import type { TaskSchedule } from '../../author/files/entries.ts'

/** The supervisor's record of a task file. */
export interface KnownTask {
  name: string
  file: string
  schedule: TaskSchedule
}

/** The schedule of a task whose file exports a plain function: it runs only when a handler schedules it. */
export const unscheduled: TaskSchedule = { missed: 'once', retry: false }

/** A run that is this late counts as missed. */
export const LATE_MS = 60_000

/** The runtime of tasks that looks only now and then: a run that is late by less than `lookMs` more is on time. */
export interface Looks {
  lookMs?: number
}

/** How often a task that is switched off is checked. */
export const OFF_MS = 1000

export const interruptedText = (file: string, atMs: number): string =>
  `${file}: its run of ${new Date(atMs).toISOString()} was interrupted and does not run again; set retry: true to repeat it`
