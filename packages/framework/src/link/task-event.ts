import type { Delivery } from '@botwright/events/event'

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
