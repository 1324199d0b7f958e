import type { Delivery } from '@botwright/events/event'
import type { TaskSchedule } from '../../author/files/entries.ts'

/** A run of a task, as it is sent to the thread that runs it. */
export interface TaskRun {
  task: string
  scheduledAtMs: number
  retry: boolean
  /** With `retry`: it is set aside if it fails. */
  isLast?: true
  payload?: unknown
  /** The id of the timer, for a task that a handler scheduled. */
  timer?: string
}

let last = 0

/** Work of the bot's own is delivered as an event. Its id is negative, because the ids of the service are positive. */
export function ownDelivery(type: string, work: object, nowMs: number, again: boolean): Delivery {
  const event = { id: --last, type, data: { ...work }, created_at: new Date(nowMs).toISOString() }
  return { event, attempt: again ? 2 : 1 }
}

export const isOwnDelivery = ({ event }: Delivery): boolean => event.id < 0

/** Whether this work runs again if it fails. */
export function repeats(delivery: Delivery): boolean {
  if (!isOwnDelivery(delivery)) return false
  const { retry = false, isLast } = delivery.event.data as unknown as Partial<TaskRun>
  return retry && !isLast
}

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

/** How often a task that is switched off is checked. */
export const OFF_MS = 1000

/** How often a run on another instance is checked. */
export const OTHERS_MS = 5000

export const interruptedText = (file: string, atMs: number): string =>
  `${file}: its run of ${new Date(atMs).toISOString()} was interrupted and does not run again; set retry: true to repeat it`
