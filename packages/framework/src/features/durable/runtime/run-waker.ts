import type { Clock } from '@botwright/clock'
import type { Log, StateStore } from '../../../author/ports.ts'
import { type DueRow, dueMsOf, RunStore } from '../stored/run-store.ts'
import { DueRowRunner, RETRY_MS } from '../../due-rows/due-row-runner.ts'

export interface RunWakerOptions {
  store: StateStore
  clock: Clock
  log: Log
  /** Whether other processes can write to the store: `framework runs`, and other instances. */
  isShared: boolean
  wake: (run: string, row: { due: string } & Pick<DueRow, 'request'>) => Promise<void>
  /** Called with each look at the store: a test's clock waits for it. */
  loading?: ((looking: Promise<unknown>) => void) | undefined
}

/** A run that takes longer, such as one with a step that hangs, no longer keeps others waiting. */
const SLOW_MS = 5000
/** How often requests of `framework runs` are looked for. */
const REQUESTS_MS = 1000

/** Wakes the durable runs whose time has come, from now until it is stopped. */
export function createRunWaker({ store, clock, log, isShared, wake, loading }: RunWakerOptions) {
  const runs = new RunStore(store)
  const rows = new DueRowRunner({
    ...{ clock, log, loading, name: 'the durable runs that are due', ...(isShared && { pollMs: REQUESTS_MS }) },
    // Not at once: a run that could not continue would take the place of the others again.
    restMs: RETRY_MS,
    list: (limit) => runs.due(limit),
    dueMs: ({ key }) => dueMsOf(key),
    begin:
      async ({ key: due, value: { run, request } }) =>
      async (release) => {
        const slow = clock.after(SLOW_MS, release)
        await wake(run, { due, ...(request && { request }) }).finally(() => slow.cancel())
      },
    failed: ({ value: { run } }, error) =>
      log.error({ run, error }, `run ${run} could not be woken (${error.message}); trying again`),
  })
  rows.look()
  return rows
}
