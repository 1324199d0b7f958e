import type { Clock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { RunFailure } from '../../link/ports.ts'
import { ownDelivery, type TaskRun } from '../../link/tasks/task-event.ts'
import type { TaskSchedule } from '../../author/files/entries.ts'
import type { Switches } from '../ports/switches.ts'
import { isLastAttempt } from './failed-runs.ts'

export interface TaskHost {
  store: StateStore
  clock: Clock
  log: Log
  /** `failed`: called before it settles if the run failed. */
  dispatch: (delivery: Delivery, failed: (failure: RunFailure) => void) => Promise<void>
  /** Called when a run begins. Returns the function to call when it has ended. */
  began?: ((delivery: Delivery) => () => void) | undefined
  /** The runs of tasks that are switched off wait. */
  switches?: Pick<Switches, 'isOff'> | undefined
  /** In a cluster: which instance runs which task. */
  claims?: Claims
}

/** Runs a task. Returns the failure of this run. `key`: the key of its record in the store, which is claimed until its result is stored; `failures`: how often it has failed before, or was interrupted. */
export async function runTask(
  { clock, dispatch, began, claims }: TaskHost,
  key: string,
  { failures, retry, ...facts }: Omit<TaskRun, 'isLast' | 'retry'> & Pick<TaskSchedule, 'retry'> & { failures: number },
): Promise<RunFailure | undefined> {
  const run: TaskRun = { ...facts, retry: retry !== false, ...(isLastAttempt(failures, { retry }) && { isLast: true }) }
  let failure: RunFailure | undefined
  claims?.begin(key)
  const delivery = ownDelivery('task', run, clock.now(), failures > 0)
  const ended = began?.(delivery)
  try {
    await dispatch(delivery, (reason) => (failure = reason))
  } finally {
    ended?.()
  }
  return failure
}
