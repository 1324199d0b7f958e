import type { RunFailure } from '../../../link/ports.ts'
import { ownDelivery, type TaskRun } from '../../../link/task-event.ts'
import type { TaskSchedule } from '../../../author/files/entries.ts'
import type { TasksHost } from '../known-task.ts'
import { isLastAttempt } from './failed-runs.ts'

/** Runs a task. Returns the failure of this run. `failures`: how often it has failed before, or was interrupted. */
export async function runTask(
  { clock, dispatch, observer }: TasksHost,
  { failures, retry, ...facts }: Omit<TaskRun, 'isLast' | 'retry'> & Pick<TaskSchedule, 'retry'> & { failures: number },
): Promise<RunFailure | undefined> {
  const run: TaskRun = { ...facts, retry: retry !== false, ...(isLastAttempt(failures, { retry }) && { isLast: true }) }
  let failure: RunFailure | undefined
  const delivery = ownDelivery('task', run, clock.now(), failures > 0)
  const ended = observer?.workBegan?.(delivery)
  try {
    await dispatch(delivery, (reason) => (failure = reason))
  } finally {
    ended?.()
  }
  return failure
}
