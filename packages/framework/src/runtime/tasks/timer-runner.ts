import type { Clock } from '@botwright/clock'
import type { Claims } from '../../link/claims.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import {
  interruptedText,
  type KnownTask,
  LATE_MS,
  OTHERS_MS,
  RETRY_MS,
  type TaskRun,
} from '../../link/tasks/task-event.ts'
import { isTimer, type StoredTimer, timerPrefix } from '../../link/tasks/timers.ts'

export interface TimerRunnerOptions {
  store: StateStore
  clock: Clock
  log: Log
  run: (run: TaskRun, again: boolean, key: string, noteDone: () => Promise<unknown>) => Promise<void>
  /** Which machine runs what, where there are several. */
  claims?: Claims
  /** `dueMs` is another one now. */
  changed: () => void
}

/** So many run side by side: the others wait, in the order of their time. */
const SIDE_BY_SIDE = 50

/** Runs what handlers have scheduled, when its time has come. */
export class TimerRunner {
  /** When the next one is due. */
  dueMs = Infinity
  readonly #options: TimerRunnerOptions
  /** Keys that run now. */
  readonly #running = new Set<string>()
  /** Keys of tasks that are not there: they wait for their file. */
  readonly #orphans = new Set<string>()
  /** Keys that were claimed by this process: any other that is `running` was interrupted. */
  readonly #claimed = new Set<string>()
  /** Keys that have ended since the last look began: the list that it reads may still name them. */
  readonly #ended = new Set<string>()
  /** Keys that have ended and could not be taken off the list: that is tried again, and none of them runs again. */
  readonly #left = new Set<string>()
  #tasks: ReadonlyMap<string, KnownTask> = new Map()
  /** How many run on other machines. */
  #elsewhere = 0
  #looking = false
  #again = false
  #stopped = false

  constructor(options: TimerRunnerOptions) {
    this.#options = options
  }

  update(tasks: ReadonlyMap<string, KnownTask>): void {
    this.#tasks = tasks
    this.#orphans.clear()
  }

  stop(): void {
    this.#stopped = true
  }

  /** Starts what is due. */
  look(): void {
    if (this.#stopped) return
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = true
    void this.#lookNow().then(() => {
      this.#looking = false
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
      for (const key of this.#left) {
        await store.delete(key)
        this.#left.delete(key)
        this.#claimed.delete(key)
      }
      const passed = this.#running.size + this.#orphans.size + this.#elsewhere
      const now = clock.now()
      this.dueMs = Infinity
      this.#elsewhere = 0
      for (const { key, value, version } of await store.list(timerPrefix, { limit: SIDE_BY_SIDE + passed + 1 })) {
        if (this.#running.has(key) || this.#orphans.has(key) || this.#ended.has(key)) continue
        if (!isTimer(value)) {
          this.#orphans.add(key)
          log.error({ key }, `${key} in the state is not a timer and does not run. Another program wrote it: delete it`)
          continue
        }
        const kept = value
        if (kept.atMs > now) {
          this.dueMs = Math.min(this.dueMs, kept.atMs)
          return
        }
        if (kept.state === 'running' && (await claims?.isActive(kept.machine, key))) {
          this.#elsewhere++
          this.dueMs = now + OTHERS_MS
          continue
        }
        // The next one starts when one of these has ended.
        if (this.#running.size >= SIDE_BY_SIDE) return
        const task = this.#tasks.get(kept.task)
        if (task) await this.#start(task, key, kept, version)
        else {
          this.#orphans.add(key)
          log.warn({}, `tasks/${kept.task}: this file is gone; its scheduled runs wait until it exists again`)
        }
      }
    } catch (error) {
      if (this.#stopped) return
      log.error({ error }, `the scheduled runs cannot be read (${(error as Error).message}); trying again`)
      this.dueMs = clock.now() + RETRY_MS
    }
  }

  async #start({ file, schedule }: KnownTask, key: string, kept: StoredTimer, version: number): Promise<void> {
    const { store, clock, log, claims } = this.#options
    const at = new Date(kept.atMs).toISOString()
    const interrupted = kept.state === 'running' && !this.#claimed.has(key)
    if (interrupted && !schedule.retry) {
      log.error({ code: 'ERR_HANDLER', file }, interruptedText(file, kept.atMs))
      await store.delete(key, { expected: version })
      return
    }
    if (!interrupted && schedule.missed === 'skip' && clock.now() - kept.atMs > LATE_MS) {
      log.info({ file }, `${file}: its run of ${at} was missed and is skipped (missed: 'skip')`)
      await store.delete(key, { expected: version })
      return
    }
    if (interrupted) log.warn({ file }, `${file}: its run of ${at} was interrupted and runs again`)
    // Claimed before it begins: who cancels it now is too late, and no restart runs it a second time.
    const claim: StoredTimer = { ...kept, state: 'running', ...(claims && { machine: claims.id }) }
    if (!(await store.set(key, claim, { expected: version }))) return
    this.#claimed.add(key)
    this.#running.add(key)
    void this.#finish(key, { task: kept.task, scheduledAtMs: kept.atMs, retry: schedule.retry }, kept, interrupted)
  }

  async #finish(key: string, run: TaskRun, { payload }: StoredTimer, again: boolean): Promise<void> {
    const { store, log } = this.#options
    const timer = key.slice(timerPrefix.length)
    try {
      const whole = { ...run, timer, ...(payload !== undefined && { payload }) }
      await this.#options.run(whole, again, key, () => store.delete(key))
      if (this.#stopped) return
      this.#claimed.delete(key)
    } catch (error) {
      if (this.#stopped) return
      this.#left.add(key)
      log.error(
        { error },
        `a finished run cannot be removed from the schedule (${(error as Error).message}); trying again`,
      )
    }
    this.#running.delete(key)
    this.#ended.add(key)
    this.look()
  }
}
