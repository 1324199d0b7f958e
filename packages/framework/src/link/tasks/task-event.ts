import type { Delivery } from '@botwright/events/event'

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
