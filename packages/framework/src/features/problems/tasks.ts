import type { Definition } from '../../author/files/entries.ts'
import type { StateStore } from '../../author/ports.ts'
import { durationText } from '../../author/time/duration.ts'
import { timezoneOf } from '../../author/time/timezone.ts'
import { type TaskState, taskStates } from '../tasks/runtime/task-states.ts'
import { nameOf, offBy } from '../switches/switched-off.ts'
import { readOff } from '../switches/switch-store.ts'
import type { FileState } from './file-runs.ts'

/** A task, its schedule and its runs. Times are in ISO 8601. */
export interface TaskView {
  name: string
  file: string
  /** `0 9 * * 1` or `every 10 min`; null if only handlers schedule its runs. */
  schedule: string | null
  /** Of a cron pattern. */
  timezone: string | null
  last: { at: string; state: NonNullable<TaskState['last']>['state'] } | null
  /** The last error since the start of this process. */
  last_error: string | null
  next_at: string | null
  /** Why it does not run: it is switched off, or has never run. */
  reason: string | null
  /** Runs that handlers have scheduled. */
  scheduled: number
  /** Runs that were set aside within the last 30 days. */
  set_aside: number
}

/** A task that is due for this long is not run. */
const OVERDUE_MS = 60_000

/** Reads the tasks of a bot. Rejects if the store does. */
export async function tasksOf(
  definitions: readonly Definition[],
  options: {
    store: StateStore
    nowMs: number
    env?: Readonly<Record<string, unknown>> | undefined
    files: readonly FileState[]
  },
): Promise<TaskView[]> {
  const states = await taskStates(definitions, options)
  if (states.length === 0) return []
  const off = await readOff(options.store)
  return states.map((state) => {
    const { name, file, last, nextMs, scheduled, setAside } = state
    const definition = definitions.find((one) => one.kind === 'task' && one.file === file)!
    const { cron, everyMs, timezone } = definition.schedule ?? {}
    const error = options.files.find((one) => one.file === file)?.last_failure
    const isOff = offBy(off, nameOf(definition) ?? name, null) !== undefined
    return {
      name,
      file,
      schedule: cron ?? (everyMs === undefined ? null : `every ${durationText(everyMs)}`),
      timezone: cron === undefined ? null : timezone === undefined ? 'UTC' : timezoneOf(timezone, options.env, file),
      last: last ? { at: iso(last.atMs), state: last.state } : null,
      last_error: error ? `${error.line}: ${error.message}` : null,
      next_at: isOff || nextMs === undefined ? null : iso(nextMs),
      reason: isOff ? 'it is switched off' : last ? null : reasonOf(state, options.nowMs),
      scheduled,
      set_aside: setAside,
    }
  })
}

/** A task in one line of the log. */
export function taskText({ file, schedule, timezone, last, next_at, reason }: TaskView): string {
  const when = schedule === null ? 'no schedule' : [schedule, timezone ?? []].flat().join(' ')
  const former = last ? `last run ${last.at} (${last.state})` : 'it has never run'
  return `${file}: ${[when, next_at === null ? [] : `next run ${next_at}`, former, reason ?? []].flat().join(', ')}`
}

function reasonOf({ nextMs, setAside }: TaskState, nowMs: number): string {
  if (nextMs === undefined)
    return setAside > 0 ? 'all its runs were set aside' : 'it has no schedule, and no run of a handler waits'
  if (nextMs < nowMs - OVERDUE_MS)
    return 'its run is overdue: read the log, and check whether an instance runs the tasks'
  return 'its first run is not due yet'
}

const iso = (ms: number): string => new Date(ms).toISOString()
