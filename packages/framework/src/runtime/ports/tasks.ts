import type { Clock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { Definition } from '../../author/files/entries.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { RunFailure } from '../../link/ports.ts'
import type { Switches } from './switches.ts'

/** The parts of a bot that its tasks use. */
export interface TasksHost {
  store: StateStore
  clock: Clock
  log: Log
  /** The values of the declared variables, one of which may contain a task's time zone. */
  env?: Readonly<Record<string, unknown>>
  /** `failed`: called before it settles if the run failed. */
  dispatch: (delivery: Delivery, failed: (failure: RunFailure) => void) => Promise<void>
  /** Called when a run begins. Returns the function to call when it has ended. */
  began?: ((delivery: Delivery) => () => void) | undefined
  /** The runs of tasks that are switched off wait. */
  switches?: Pick<Switches, 'isOff'> | undefined
  /** In a cluster: which instance runs which task. */
  claims?: Claims
}

/** Runs the tasks of a bot at their times. */
export interface Tasks {
  /** Called with the definitions of new code. */
  update(definitions: readonly Definition[]): void
  /** A key of the store was written: a handler may have scheduled a task. */
  onStoreWrite(key: string): void
  /** Checks again: a handler has scheduled a run, or an instance has died. */
  wake(): void
  /** Claims no new runs; those that are claimed have `graceMs` to finish. `until`: see `DueRowRunner.stop`. */
  stop(graceMs: number, until?: AbortSignal): Promise<{ unfinished: number }>
}

/** The tasks of bots that have some. */
export interface OpenTasks {
  /** Throws `ERR_CONFIG` if a task has an invalid time zone. */
  checkZones: (definitions: readonly Definition[], env: TasksHost['env']) => void
  create: (host: TasksHost) => Tasks
}
