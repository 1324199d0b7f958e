import type { Clock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { RunFailure } from '../../link/ports.ts'
import { taskDelivery, type TaskRun } from '../../link/tasks/task-event.ts'
import { isLastAttempt } from './failed-runs.ts'

export interface TaskHost {
  store: StateStore
  clock: Clock
  log: Log
  /** `failed`: called before it settles if the run failed. */
  dispatch: (delivery: Delivery, failed: (failure: RunFailure) => void) => Promise<void>
  /** In a cluster: which instance runs which task. */
  claims?: Claims
}

/** Runs a task. Returns the failure of this run. `key`: the key of its record in the store; `failures`: how often it has failed before, or was interrupted. */
export async function runTask(
  { clock, dispatch, claims }: TaskHost,
  key: string,
  { failures, ...facts }: Omit<TaskRun, 'isLast'> & { failures: number },
): Promise<RunFailure | undefined> {
  const run: TaskRun = { ...facts, ...(isLastAttempt(failures) && { isLast: true }) }
  let failure: RunFailure | undefined
  claims?.begin(key)
  try {
    await dispatch(taskDelivery(run, clock.now(), failures > 0), (reason) => (failure = reason))
  } finally {
    claims?.end(key)
  }
  return failure
}
