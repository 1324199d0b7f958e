import type { Clock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { TaskSchedule } from '../../author/files/entries.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { RunFailure } from '../../link/ports.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import type { Switches } from '../../runtime/ports/switches.ts'

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

/** The parts of a bot that its tasks use. */
export interface TasksHost {
  store: StateStore
  clock: Clock
  log: Log
  /** The values of the declared variables, one of which may contain a task's time zone. */
  env?: Readonly<Record<string, unknown>>
  /** `failed`: called before it settles if the run failed. */
  dispatch: (delivery: Delivery, failed: (failure: RunFailure) => void) => Promise<void>
  observer?: Pick<Observer, 'workBegan'>
  /** The runs of tasks that are switched off wait. */
  switches?: Pick<Switches, 'isOff'> | undefined
  /** In a cluster: which instance runs which task. */
  claims?: Claims | undefined
}

/** How often a task that is switched off is checked. */
export const OFF_MS = 1000

export const interruptedText = (file: string, atMs: number): string =>
  `${file}: its run of ${new Date(atMs).toISOString()} was interrupted and does not run again; set retry: true to repeat it`
