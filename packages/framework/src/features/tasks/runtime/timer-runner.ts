import type { StateStore } from '../../../author/ports.ts'
import type { TaskSchedule } from '../../../author/files/entries.ts'
import type { RunFailure } from '../../../link/ports.ts'
import { type KnownTask, OFF_MS, type Looks, type TasksHost, unscheduled } from '../known-task.ts'
import { isTimer, type StoredTimer, timerPrefix } from '../stored-timers.ts'
import { DueRowRunner, OTHERS_MS, type Work } from '../../due-rows/due-row-runner.ts'
import { afterFailure, afterInterruption, attemptMs, isSkipped } from './failed-runs.ts'
import { runTask } from './run-task.ts'

type Row = Awaited<ReturnType<StateStore['list']>>[number]

/** Runs what handlers have scheduled, at its time. */
export class TimerRunner {
  readonly rows: DueRowRunner<Row>
  readonly #host: TasksHost & Looks
  /** Rows that were logged: damaged ones, and those whose task has no file now. */
  readonly #reported = new Set<string>()
  #tasks: ReadonlyMap<string, KnownTask> = new Map()

  constructor(host: TasksHost & Looks) {
    const { store, clock, log, claims } = host
    this.#host = host
    this.rows = new DueRowRunner({
      // Notices of other instances may get lost.
      ...{ clock, log, name: 'the scheduled runs', claims, ...(claims && { pollMs: OTHERS_MS }) },
      list: (limit) => store.list(timerPrefix, { limit }),
      dueMs: ({ value }) => (isTimer(value) ? value.atMs : 0),
      begin: (row) => this.#begin(row),
      failed: (_, error) => log.error({ error }, `a scheduled run could not run (${error.message}); trying again`),
      refused: (_, error) =>
        log.error({ error }, `the result of a scheduled run cannot be stored (${error.message}); trying again`),
    })
  }

  update(tasks: ReadonlyMap<string, KnownTask>): void {
    this.#tasks = tasks
    this.#reported.clear()
    this.rows.look()
  }

  async #begin({ key, value, version }: Row): Promise<Work | number | undefined> {
    const { store, clock, log } = this.#host
    if (this.#reported.has(key)) return Infinity
    if (!isTimer(value)) {
      this.#reported.add(key)
      log.error({ key }, `${key} in the state is not a timer and does not run. Another program wrote it: delete it`)
      return Infinity
    }
    const { task, state } = value
    if (state === 'running' && (await this.rows.isActive(key, value))) return clock.now() + OTHERS_MS
    const known = this.#tasks.get(task)
    const dueMs = dueAt(value, known?.schedule ?? unscheduled, clock.now())
    if (state === 'waiting' && dueMs > clock.now()) return dueMs
    if (!known) {
      this.#reported.add(key)
      log.warn({}, `tasks/${task}: this file is gone; its scheduled runs wait until it exists again`)
      return Infinity
    }
    if (await this.#host.switches?.isOff(`tasks/${task}`)) return clock.now() + OFF_MS
    const { schedule } = known
    const isOwn = this.rows.isOwn(key, value, version)
    const interrupted = state === 'running' && !isOwn
    const failures = (value.failures ?? 0) + (interrupted ? 1 : 0)
    const run = failedRun(known, key, value, failures)
    const isOver = interrupted
      ? !(await afterInterruption(run, schedule, this.#host))
      : failures === 0 && isSkipped({ ...run, atMs: dueMs }, schedule, this.#host)
    if (isOver) {
      await store.delete(key, { expected: version })
      return undefined
    }
    // Claimed before it starts: it can no longer be cancelled, and a restart does not run it a second time.
    const { againMs: _againMs, ...plain } = value
    const running: StoredTimer = { ...plain, state: 'running', ...(failures > 0 && { failures }) }
    const claim = await this.rows.claimAs(store, { key, value, version }, running)
    return claim && (() => this.#run(known, key, { ...claim, failures }))
  }

  /** Returns the write of the result: it removes the run from the schedule, or stores when it is attempted again. */
  async #run(
    known: KnownTask,
    key: string,
    timer: StoredTimer & { failures: number },
  ): Promise<() => Promise<unknown>> {
    const { store } = this.#host
    const { task, atMs, payload, failures } = timer
    const failure = await runTask(this.#host, {
      ...{ task, scheduledAtMs: atMs, retry: known.schedule.retry, failures, timer: idOf(key) },
      ...(payload !== undefined && { payload }),
    })
    return async () => {
      const expected = await this.rows.claimedVersion(store, key, timer)
      if (expected === undefined) return
      await (failure ? this.#failed(known, key, { timer, expected }, failure) : store.delete(key, { expected }))
    }
  }

  async #failed(
    known: KnownTask,
    key: string,
    { timer, expected }: { timer: StoredTimer & { failures: number }; expected: number },
    failure: RunFailure,
  ): Promise<boolean> {
    const { store } = this.#host
    const failures = timer.failures + 1
    const againMs = await afterFailure(failedRun(known, key, timer, failures), failure, known.schedule, this.#host)
    if (againMs === undefined) return store.delete(key, { expected })
    const again: StoredTimer = { ...timer, state: 'waiting', failures, againMs }
    return store.set(key, again, { expected })
  }
}

/** When a timer that waits runs, also if the clock was set back since it was stored. */
function dueAt({ atMs, againMs = atMs, failures = 0 }: StoredTimer, schedule: TaskSchedule, nowMs: number): number {
  if (failures > 0) return attemptMs(againMs, schedule, nowMs)
  // It was scheduled after its time.
  return againMs > nowMs ? atMs : againMs
}

const failedRun = ({ file }: KnownTask, key: string, { task, atMs, payload }: StoredTimer, failures: number) => ({
  id: idOf(key),
  ...{ file, task, atMs, payload, failures },
})

const idOf = (key: string) => key.slice(timerPrefix.length)
