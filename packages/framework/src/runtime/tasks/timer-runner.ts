import type { Clock } from '@botwright/clock'
import type { Claims } from '../../link/claims.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { RunFailure } from '../../link/ports.ts'
import {
  interruptedText,
  type KnownTask,
  LATE_MS,
  OTHERS_MS,
  RETRY_MS,
  type TaskRun,
} from '../../link/tasks/task-event.ts'
import { dueMsOf, isTimer, type StoredTimer, timerPrefix } from '../../link/tasks/timers.ts'
import { afterFailure, afterInterruption, isLastAttempt } from './failed-runs.ts'

/** Runs a task. `ended` stores the result. */
export type RunTask = (
  run: TaskRun,
  again: boolean,
  key: string,
  ended: (failure?: RunFailure) => Promise<unknown>,
) => Promise<void>

export interface TimerRunnerOptions {
  store: StateStore
  clock: Clock
  log: Log
  run: RunTask
  /** In a cluster: which instance runs which timer. */
  claims?: Claims
  /** Called when `dueMs` has changed. */
  changed: () => void
}

/** How many run concurrently; the others wait, in the order of their time. */
const MAX_CONCURRENT = 50

/** Runs what handlers have scheduled, at its time. */
export class TimerRunner {
  /** When the next one is due. */
  dueMs = Infinity
  readonly #options: TimerRunnerOptions
  /** The keys of running timers. */
  readonly #running = new Set<string>()
  /** Keys whose task has no file; they wait until it exists again. */
  readonly #orphans = new Set<string>()
  /** Keys that this process claimed. Any other that is `running` was interrupted. */
  readonly #claimed = new Set<string>()
  /** Keys that ended since the current check began; the list that it reads may still contain them. */
  readonly #ended = new Set<string>()
  /** Keys that ended but whose result could not be stored: storing it is retried, and until then they do not run. */
  readonly #unwritten = new Map<string, () => Promise<unknown>>()
  #tasks: ReadonlyMap<string, KnownTask> = new Map()
  /** How many run on other instances, or have failed and wait for their next attempt. */
  #passed = 0
  #looking: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(options: TimerRunnerOptions) {
    this.#options = options
  }

  update(tasks: ReadonlyMap<string, KnownTask>): void {
    this.#tasks = tasks
    this.#orphans.clear()
  }

  /** Starts no further timers. Resolves when those that are being claimed have started, after a last try to store results. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#looking
    await Promise.allSettled([...this.#unwritten.values()].map((write) => write()))
  }

  /** Starts the timers that are due. */
  look(): void {
    if (this.#stopped) return
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = this.#lookNow().then(() => {
      this.#looking = undefined
      if (this.#again && !this.#stopped) {
        this.#again = false
        this.look()
      } else this.#options.changed()
    })
  }

  async #lookNow(): Promise<void> {
    const { store, clock, log, claims } = this.#options
    try {
      this.#ended.clear()
      for (const [key, write] of this.#unwritten) {
        await write()
        this.#unwritten.delete(key)
        this.#claimed.delete(key)
      }
      const passed = this.#running.size + this.#orphans.size + this.#passed
      const now = clock.now()
      this.dueMs = Infinity
      this.#passed = 0
      const limit = MAX_CONCURRENT + passed + 1
      const timers = await store.list(timerPrefix, { limit })
      for (const { key, value, version } of timers) {
        if (this.#stopped) return
        if (this.#running.has(key) || this.#orphans.has(key) || this.#ended.has(key)) continue
        if (!isTimer(value)) {
          this.#orphans.add(key)
          log.error({ key }, `${key} in the state is not a timer and does not run. Another program wrote it: delete it`)
          continue
        }
        const timer = value
        if (timer.atMs > now) {
          this.dueMs = Math.min(this.dueMs, timer.atMs)
          return
        }
        if (timer.state === 'running' && (await claims?.isActive(timer.machine, key))) {
          this.#passed++
          this.dueMs = Math.min(this.dueMs, now + OTHERS_MS)
          continue
        }
        if (timer.state === 'waiting' && dueMsOf(timer) > now) {
          this.#passed++
          this.dueMs = Math.min(this.dueMs, dueMsOf(timer))
          continue
        }
        // The next one starts when a running one ends.
        if (this.#running.size >= MAX_CONCURRENT) return
        const task = this.#tasks.get(timer.task)
        if (task) await this.#start(task, key, timer, version)
        else {
          this.#orphans.add(key)
          log.warn({}, `tasks/${timer.task}: this file is gone; its scheduled runs wait until it exists again`)
        }
      }
      // More of them may be due behind those that wait.
      if (timers.length === limit) this.#again = true
    } catch (error) {
      if (this.#stopped) return
      log.error({ error }, `the scheduled runs cannot be read (${(error as Error).message}); trying again`)
      this.dueMs = clock.now() + RETRY_MS
    }
  }

  async #start(known: KnownTask, key: string, timer: StoredTimer, version: number): Promise<void> {
    const { store, clock, log, claims } = this.#options
    const { file, schedule } = known
    const at = new Date(timer.atMs).toISOString()
    const interrupted = timer.state === 'running' && !this.#claimed.has(key)
    if (interrupted && !schedule.retry) {
      log.error({ code: 'ERR_HANDLER', file }, interruptedText(file, timer.atMs))
      await store.delete(key, { expected: version })
      return
    }
    const failures = (timer.failures ?? 0) + (interrupted ? 1 : 0)
    if (failures === 0 && schedule.missed === 'skip' && clock.now() - timer.atMs > LATE_MS) {
      log.info({ file }, `${file}: its run of ${at} was missed and is skipped (missed: 'skip')`)
      await store.delete(key, { expected: version })
      return
    }
    if (interrupted && !(await afterInterruption(failedRun(known, key, timer, failures), this.#options))) {
      await store.delete(key, { expected: version })
      return
    }
    // Claimed before it starts: it can no longer be cancelled, and a restart does not run it a second time.
    const { againMs: _againMs, ...plain } = timer
    const claim: StoredTimer = {
      ...plain,
      state: 'running',
      ...(failures > 0 && { failures }),
      ...(claims && { machine: claims.id }),
    }
    // A write that fails may be done all the same: then the run is claimed by this process, and nothing of it was interrupted.
    this.#claimed.add(key)
    if (!(await store.set(key, claim, { expected: version }))) return void this.#claimed.delete(key)
    this.#running.add(key)
    void this.#finish(known, key, { ...plain, failures })
  }

  async #finish(known: KnownTask, key: string, timer: StoredTimer & { failures: number }): Promise<void> {
    const { store, log } = this.#options
    const { task, atMs, payload, failures } = timer
    const { retry } = known.schedule
    let write = () => store.delete(key)
    const ended = (failure?: RunFailure) => {
      if (failure) write = () => this.#failed(known, key, timer, failure)
      return write()
    }
    try {
      const run: TaskRun = {
        task,
        scheduledAtMs: atMs,
        retry,
        ...(isLastAttempt(failures) && { isLast: true }),
        timer: key.slice(timerPrefix.length),
        ...(payload !== undefined && { payload }),
      }
      await this.#options.run(run, failures > 0, key, ended)
      if (this.#stopped) return
      this.#claimed.delete(key)
    } catch (error) {
      if (this.#stopped) return
      this.#unwritten.set(key, write)
      log.error({ error }, `the result of a scheduled run cannot be stored (${(error as Error).message}); trying again`)
    }
    this.#running.delete(key)
    this.#ended.add(key)
    this.look()
  }

  /** Stores when a failed run is attempted again, or removes it from the schedule. */
  async #failed(
    known: KnownTask,
    key: string,
    timer: StoredTimer & { failures: number },
    failure: RunFailure,
  ): Promise<boolean> {
    const { store } = this.#options
    const failures = timer.failures + 1
    const againMs = await afterFailure(failedRun(known, key, timer, failures), failure, known.schedule, this.#options)
    if (againMs === undefined) return store.delete(key)
    return store.set(key, { ...timer, state: 'waiting', failures, againMs } satisfies StoredTimer)
  }
}

const failedRun = ({ file }: KnownTask, key: string, { task, atMs, payload }: StoredTimer, failures: number) => ({
  id: key.slice(timerPrefix.length),
  ...{ file, task, atMs, payload, failures },
})
