import { readEventKey } from '@botwright/events/event'
import { BoundedMap } from '@botwright/protocol/facts'
import { failedResults } from '@botwright/protocol/timeline'
import type { Outcome, Result } from '../../link/ports.ts'
import { type HealthFacts, rounded } from './health-facts.ts'

/** A failed run of a file. */
interface RunError {
  at: string
  result: Result
  message: string
  /** The line that threw the error, or the file alone. */
  line: string
  /** The reference that the person was given. */
  reference: string
}

/** The runs of one file since the process started. Durations are those of the last runs. */
export interface FileState {
  file: string
  runs: number
  /** Runs by result; results that did not occur are missing. */
  results: Partial<Record<Result, number>>
  /** How often a run blocked its thread; part of `crashed` and `dead_lettered`. */
  blocked: number
  p50_ms: number | null
  p99_ms: number | null
  last_failure: RunError | null
}

/** How the handlers of a file end their thread. */
export type FaultKind = 'blocked' | 'out_of_memory' | 'crashed'

/** A file whose handlers have failed, or have ended their thread. */
export interface FailingFile {
  file: string
  /** The line of the last error, or the file alone. */
  line: string
  /** Within the last hour. */
  runs: number
  failures: number
  /** The people of these failures; 0 for tasks and routes. */
  people: number
  /** The id of the server, if all of these failures were in one. */
  server: string | undefined
  errors: { first: RunError; last: RunError }
  /** The code of the last error. */
  code: string | undefined
  /** The ids of the last events that failed, for a replay. */
  events: readonly number[]
}

/** The durations of so many runs are kept for each file. */
const DURATIONS = 512
const MINUTE_MS = 60_000
const MINUTES = 60
const HOUR_MS = MINUTES * MINUTE_MS
/** So many failed events of a file are listed. */
const MOST_EVENTS = 10
/** The people of a failing file are counted up to this number. */
const MOST_PEOPLE = 1000
/** So many of its servers are kept, only to see whether it is one. */
const MOST_SERVERS = 2
/** A file fails if at least this share of its runs did within the last hour. */
const FAILING_SHARE = 0.05

/** The wall clock may be set while the bot runs, so it is only shown. */
type Moment = Pick<HealthFacts, 'nowMs' | 'monotonicMs'>

interface Failure {
  at: Moment
  outcome: Outcome
  /** If it ended its thread. */
  fault: FaultKind | undefined
}

interface Minute {
  /** On the monotonic clock. */
  atMs: number
  runs: number
  failures: number
}

interface Runs {
  count: number
  results: Partial<Record<Result, number>>
  durations: Float64Array
  timed: number
  blocked: number
  faults: Map<FaultKind, Failure>
  /** The last hour, oldest first, without minutes that had no run. */
  minutes: Minute[]
  /** The first failure after an hour without one. */
  first: Failure | undefined
  last: Failure | undefined
  /** The monotonic time of the last failure of each. */
  people: Map<string, number>
  /** The same of the latest servers; undefined stands for everything outside of servers. */
  servers: Map<string | undefined, number>
  /** The same of the last events. */
  events: Map<number, number>
}

/** Counts the handler runs of each file. A bot has a fixed number of files, so the memory is bounded. */
export class FileRuns {
  readonly #files = new Map<string, Runs>()

  /** `person`: whose event it was; `server`: where. */
  observe(outcome: Outcome, at: Moment, person?: string, server?: string): void {
    const { file, ms, waitedMs = 0, result } = outcome
    if (file === undefined) return
    let runs = this.#files.get(file)
    if (!runs) this.#files.set(file, (runs = noRuns()))
    runs.count++
    runs.results[result] = (runs.results[result] ?? 0) + 1
    if (ms !== undefined) runs.durations[runs.timed++ % DURATIONS] = ms - waitedMs
    const { monotonicMs } = at
    const minute = minuteOf(runs.minutes, monotonicMs)
    minute.runs++
    if (!failedResults.has(result)) return
    minute.failures++
    // Events that are set aside with another one, such as those of a burst, share its fault.
    const fault = faultOf(outcome) ?? (result === 'dead_lettered' ? runs.last?.fault : undefined)
    const failure = { at, outcome, fault }
    if (!runs.last || runs.last.at.monotonicMs <= monotonicMs - HOUR_MS) runs.first = failure
    runs.last = failure
    if (person !== undefined) runs.people.set(person, monotonicMs)
    runs.servers.set(server, monotonicMs)
    // Work of the bot's own has no event that can be replayed.
    const event = readEventKey(outcome.eventId)
    if (event) runs.events.set(event.id, monotonicMs)
    if (outcome.blocked) runs.blocked++
    if (fault) runs.faults.set(fault, failure)
  }

  /** The files whose handlers have ended their thread since that monotonic time. */
  faulty(sinceMs: number): { file: string; kind: FaultKind; message: string; line: string }[] {
    return [...this.#files].flatMap(([file, { faults }]) =>
      [...faults].flatMap(([kind, { at, outcome }]) =>
        at.monotonicMs < sinceMs
          ? []
          : [{ file, kind, message: outcome.error?.message ?? '', line: outcome.error?.at ?? file }],
      ),
    )
  }

  /** The files that fail, those with the most failures first. */
  failing(monotonicMs: number, clean: (text: string) => string): FailingFile[] {
    const failing = [...this.#files].flatMap(([file, each]): FailingFile[] => {
      const { minutes, first, last, people, servers, events } = each
      const sinceMs = monotonicMs - HOUR_MS
      const recent = minutes.filter(({ atMs }) => atMs > sinceMs)
      const failures = recent.reduce((sum, minute) => sum + minute.failures, 0)
      const runs = recent.reduce((sum, minute) => sum + minute.runs, 0)
      if (!first || !last || failures === 0 || failures < runs * FAILING_SHARE) return []
      // The end of its thread is a problem of its own.
      if (last.fault) return []
      const affected = [...people.values()].filter((atMs) => atMs > sinceMs).length
      const places = [...servers].flatMap(([id, atMs]) => (atMs > sinceMs ? [id] : []))
      const errors = { first: errorOf(first, clean), last: errorOf(last, clean) }
      const failed = [...events].flatMap(([id, atMs]) => (atMs > sinceMs ? [id] : []))
      return [
        {
          file,
          line: errors.last.line || file,
          runs,
          failures,
          people: affected,
          server: places.length === 1 ? places[0] : undefined,
          errors,
          code: last.outcome.error?.code,
          events: failed,
        },
      ]
    })
    return failing.toSorted((a, b) => b.failures - a.failures || (a.file < b.file ? -1 : 1))
  }

  /** The files with the most runs first. `clean` removes secrets from messages. */
  list(clean: (text: string) => string): FileState[] {
    return [...this.#files]
      .toSorted(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
      .map(([file, { count, results, durations, timed, blocked, last }]) => {
        const sorted = durations.slice(0, Math.min(timed, DURATIONS)).sort()
        return {
          file,
          runs: count,
          results: { ...results },
          blocked,
          p50_ms: quantile(sorted, 0.5),
          p99_ms: quantile(sorted, 0.99),
          last_failure: last ? errorOf(last, clean) : null,
        }
      })
  }
}

const noRuns = (): Runs => ({
  count: 0,
  results: {},
  durations: new Float64Array(DURATIONS),
  timed: 0,
  blocked: 0,
  faults: new Map(),
  minutes: [],
  first: undefined,
  last: undefined,
  people: new BoundedMap(MOST_PEOPLE),
  servers: new BoundedMap(MOST_SERVERS),
  events: new BoundedMap(MOST_EVENTS),
})

function minuteOf(minutes: Minute[], monotonicMs: number): Minute {
  const last = minutes.at(-1)
  if (last && monotonicMs < last.atMs + MINUTE_MS) return last
  const minute = { atMs: Math.floor(monotonicMs / MINUTE_MS) * MINUTE_MS, runs: 0, failures: 0 }
  minutes.push(minute)
  if (minutes.length > MINUTES) minutes.shift()
  return minute
}

function faultOf({ result, blocked, outOfMemory }: Outcome): FaultKind | undefined {
  if (outOfMemory) return 'out_of_memory'
  if (blocked) return 'blocked'
  return result === 'crashed' ? 'crashed' : undefined
}

function errorOf({ at: { nowMs }, outcome: { result, error } }: Failure, clean: (text: string) => string): RunError {
  const { message = '', at = '', reference = '' } = error ?? {}
  return { at: new Date(nowMs).toISOString(), result, message: clean(message), line: at, reference }
}

function quantile(sorted: Float64Array, share: number): number | null {
  const value = sorted[Math.ceil(sorted.length * share) - 1]
  return value === undefined ? null : rounded(value)
}
