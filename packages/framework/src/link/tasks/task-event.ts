import type { Delivery } from '@botwright/events/event'
import type { TaskSchedule } from '../../author/entries.ts'

/** What a run of a task carries to the thread that runs it. */
export interface TaskRun {
  task: string
  scheduledAtMs: number
  retry: boolean
  payload?: unknown
  /** Of a task that a handler has scheduled. */
  timer?: string
}

let last = 0

/** A run travels as an event of our own. The ids of the service are positive: these are not. */
export function taskDelivery(run: TaskRun, nowMs: number, again: boolean): Delivery {
  const id = --last
  const event = { id, type: 'task', data: { ...run }, created_at: new Date(nowMs).toISOString() }
  return { id, event, attempt: again ? 2 : 1, redelivered: again }
}

export const isTaskDelivery = (delivery: { id: number }): boolean => delivery.id < 0

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
