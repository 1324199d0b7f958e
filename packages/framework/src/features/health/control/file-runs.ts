import { failedResults } from '@botwright/protocol/timeline'
import type { Outcome, Result } from '../../../link/ports.ts'
import { rounded } from '../readiness.ts'

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
  last_failure: { at: string; result: Result; message: string; line: string; reference: string } | null
}

/** The durations of so many runs are kept for each file. */
const DURATIONS = 512

interface Runs {
  count: number
  results: Partial<Record<Result, number>>
  durations: Float64Array
  timed: number
  blocked: number
  blockedAtMs: number
  failure: { atMs: number; outcome: Outcome } | undefined
}

/** Counts the handler runs of each file. A bot has a fixed number of files, so the memory is bounded. */
export class FileRuns {
  readonly #files = new Map<string, Runs>()

  observe(outcome: Outcome, nowMs: number): void {
    const { file, ms, result } = outcome
    if (file === undefined) return
    let runs = this.#files.get(file)
    if (!runs) this.#files.set(file, (runs = noRuns()))
    runs.count++
    runs.results[result] = (runs.results[result] ?? 0) + 1
    if (ms !== undefined) runs.durations[runs.timed++ % DURATIONS] = ms
    if (!failedResults.has(result)) return
    runs.failure = { atMs: nowMs, outcome }
    if (!outcome.blocked) return
    runs.blocked++
    runs.blockedAtMs = nowMs
  }

  /** The files whose handlers blocked or ended their thread since then. */
  faulty(sinceMs: number): { file: string; blocked: boolean; atMs: number; message: string }[] {
    return [...this.#files].flatMap(([file, { failure, blockedAtMs }]) => {
      if (!failure || failure.atMs < sinceMs) return []
      const { result, error } = failure.outcome
      if (result !== 'crashed' && result !== 'dead_lettered') return []
      return { file, blocked: blockedAtMs >= sinceMs, atMs: failure.atMs, message: error?.message ?? '' }
    })
  }

  /** The files with the most runs first. `clean` removes secrets from messages. */
  list(clean: (text: string) => string): FileState[] {
    return [...this.#files]
      .toSorted(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
      .map(([file, { count, results, durations, timed, blocked, failure }]) => {
        const sorted = durations.slice(0, Math.min(timed, DURATIONS)).sort()
        const error = failure?.outcome.error
        return {
          file,
          runs: count,
          results: { ...results },
          blocked,
          p50_ms: quantile(sorted, 0.5),
          p99_ms: quantile(sorted, 0.99),
          last_failure: failure
            ? {
                at: new Date(failure.atMs).toISOString(),
                result: failure.outcome.result,
                message: clean(error?.message ?? ''),
                line: error?.at ?? '',
                reference: error?.reference ?? '',
              }
            : null,
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
  blockedAtMs: -Infinity,
  failure: undefined,
})

function quantile(sorted: Float64Array, share: number): number | null {
  const value = sorted[Math.ceil(sorted.length * share) - 1]
  return value === undefined ? null : rounded(value)
}
