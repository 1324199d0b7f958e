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
  /** Keys that ended but could not be deleted: deleting is retried, and they do not run again. */
  readonly #undeleted = new Set<string>()
  #tasks: ReadonlyMap<string, KnownTask> = new Map()
  /** How many run on other instances. */
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

  /** Starts the timers that are due. */
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
      for (const key of this.#undeleted) {
        await store.delete(key)
        this.#undeleted.delete(key)
        this.#claimed.delete(key)
      }
      const passed = this.#running.size + this.#orphans.size + this.#elsewhere
      const now = clock.now()
      this.dueMs = Infinity
      this.#elsewhere = 0
      for (const { key, value, version } of await store.list(timerPrefix, { limit: MAX_CONCURRENT + passed + 1 })) {
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
          this.#elsewhere++
          this.dueMs = now + OTHERS_MS
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
    } catch (error) {
      if (this.#stopped) return
      log.error({ error }, `the scheduled runs cannot be read (${(error as Error).message}); trying again`)
      this.dueMs = clock.now() + RETRY_MS
    }
  }

  async #start({ file, schedule }: KnownTask, key: string, timer: StoredTimer, version: number): Promise<void> {
    const { store, clock, log, claims } = this.#options
    const at = new Date(timer.atMs).toISOString()
    const interrupted = timer.state === 'running' && !this.#claimed.has(key)
    if (interrupted && !schedule.retry) {
      log.error({ code: 'ERR_HANDLER', file }, interruptedText(file, timer.atMs))
      await store.delete(key, { expected: version })
      return
    }
    if (!interrupted && schedule.missed === 'skip' && clock.now() - timer.atMs > LATE_MS) {
      log.info({ file }, `${file}: its run of ${at} was missed and is skipped (missed: 'skip')`)
      await store.delete(key, { expected: version })
      return
    }
    if (interrupted) log.warn({ file }, `${file}: its run of ${at} was interrupted and runs again`)
    // Claimed before it starts: it can no longer be cancelled, and a restart does not run it a second time.
    const claim: StoredTimer = { ...timer, state: 'running', ...(claims && { machine: claims.id }) }
    if (!(await store.set(key, claim, { expected: version }))) return
    this.#claimed.add(key)
    this.#running.add(key)
    void this.#finish(key, { task: timer.task, scheduledAtMs: timer.atMs, retry: schedule.retry }, timer, interrupted)
  }

  async #finish(key: string, run: TaskRun, { payload }: StoredTimer, again: boolean): Promise<void> {
    const { store, log } = this.#options
    const id = key.slice(timerPrefix.length)
    try {
      const whole = { ...run, timer: id, ...(payload !== undefined && { payload }) }
      await this.#options.run(whole, again, key, () => store.delete(key))
      if (this.#stopped) return
      this.#claimed.delete(key)
    } catch (error) {
      if (this.#stopped) return
      this.#undeleted.add(key)
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
