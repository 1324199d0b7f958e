import type { Definition } from '../../../author/files/entries.ts'
import type { StateStore } from '../../../author/ports.ts'
import { dueMsOf, isTimer, timerPrefix } from '../stored-timers.ts'
import { asidePrefix, type SetAsideRun } from './failed-runs.ts'
import { type LastRun, lastKey, recurrenceOf } from './scheduler.ts'

/** When a task ran last and runs next, read from the store: the same from every instance of a cluster. */
export interface TaskState {
  name: string
  file: string
  /** Undefined before its first run. The time is the scheduled one. */
  last?: { atMs: number; state: LastRun['state'] }
  /** In the past if it is about to run, or if no instance runs the tasks. */
  nextMs?: number
  /** Runs that handlers have scheduled. */
  scheduled: number
  /** Runs that were set aside. */
  setAside: number
}

/** At most so many runs that handlers have scheduled are read, and of those that were set aside. */
const MOST_RUNS = 1000

/** Reads the states of the tasks. Rejects if the store does. */
export async function taskStates(
  definitions: readonly Definition[],
  options: { store: StateStore; nowMs: number; env?: Readonly<Record<string, unknown>> | undefined },
): Promise<TaskState[]> {
  const { store, nowMs, env } = options
  const tasks = definitions.filter(({ kind }) => kind === 'task').toSorted((a, b) => (a.file < b.file ? -1 : 1))
  if (tasks.length === 0) return []
  const timers = (await store.list(timerPrefix, { limit: MOST_RUNS })).flatMap(({ value }) =>
    isTimer(value) && value.state === 'waiting' ? [value] : [],
  )
  const aside = (await store.list(asidePrefix, { limit: MOST_RUNS })).map(
    ({ value }) => (value as Partial<SetAsideRun> | null)?.task,
  )
  return Promise.all(
    tasks.map(async ({ name, file, schedule }) => {
      const stored = (await store.get(lastKey(name)))?.value as LastRun | undefined
      const own = timers.filter(({ task }) => task === name).map(dueMsOf)
      const { times, pattern } = (schedule && recurrenceOf(file, schedule, env)) ?? {}
      // A changed schedule starts from now.
      const last = stored?.pattern === pattern ? stored : undefined
      // The first record of a schedule has the time of the start, which is not a time of the schedule.
      const hasRun = last && times?.latest(last.scheduledAtMs) === last.scheduledAtMs
      const isOver = last?.state === 'done' && (last.failures ?? 0) > 0
      const recurringMs = last?.state === 'failed' ? last.againMs : times?.next(last?.scheduledAtMs ?? nowMs)
      const nextMs = Math.min(recurringMs ?? Infinity, ...own)
      return {
        name,
        file,
        ...(hasRun && { last: { atMs: last.scheduledAtMs, state: isOver ? 'failed' : last.state } }),
        ...(nextMs !== Infinity && { nextMs }),
        scheduled: own.length,
        setAside: aside.filter((task) => task === name).length,
      }
    }),
  )
}
