// Runs in the supervisor: computes when each task is due, and claims each run before it starts.

import type { Timer } from '@botwright/clock'
import type { Definition, TaskSchedule } from '../../author/entries.ts'
import { cronOccurrences, everyOccurrences, type Occurrences } from '../../author/tasks/occurrences.ts'
import type { RunFailure } from '../../link/ports.ts'
import {
  interruptedText,
  type KnownTask,
  LATE_MS,
  OTHERS_MS,
  RETRY_MS,
  unscheduled,
} from '../../link/tasks/task-event.ts'
import { afterFailure, afterInterruption } from './failed-runs.ts'
import { runTask, type TaskHost } from './run-task.ts'
import { TimerRunner } from './timer-runner.ts'
import { timezoneOf } from '../../author/timezone.ts'
import { timerAt } from '../jobs/timer-at.ts'

export interface SchedulerOptions extends TaskHost {
  /** The values of the declared variables, one of which may contain a task's time zone. */
  env?: Readonly<Record<string, unknown>>
}

/** The stored state of a recurring task: its last run and the schedule at that time. */
export interface LastRun {
  scheduledAtMs: number
  /** `failed`: it waits for its next attempt. */
  state: 'running' | 'done' | 'failed'
  pattern: string
  /** How often the run has failed or was interrupted. */
  failures?: number
  /** When a failed run is attempted again. */
  againMs?: number
  /** In a cluster, the instance that runs it. */
  machine?: string
}

/** When a task runs. The pattern identifies the schedule. */
interface Recurrence {
  times: Occurrences
  pattern: string
}

interface Recurring extends KnownTask, Recurrence {
  dueMs: number
  /** Another instance runs it. */
  elsewhere?: boolean
}

export const lastKey = (name: string) => `task:last:${name}`

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #timers: TimerRunner
  readonly #running = new Set<Promise<void>>()
  /** Checks of recurring tasks, each with the runs that it starts. */
  readonly #ticks = new Set<Promise<void>>()
  /** Tasks whose last run this process has checked. A run that is `running` at the first check was interrupted. */
  readonly #seen = new Set<string>()
  /** Runs whose last write may have failed: that of the result, or that of the claim, which may be done all the same. */
  readonly #unwritten = new Map<string, { scheduledAtMs: number; hasEnded: boolean }>()
  /** Tasks that are running or being checked, even if their file was removed or changed since. */
  readonly #busy = new Set<string>()
  #tasks = new Map<string, Recurring>()
  #lookedMs = -Infinity
  #timer: Timer | undefined
  #stopped = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#timers = new TimerRunner(options)
  }

  /** Schedules the tasks of new code. Running tasks continue; a changed schedule starts from now. */
  update(definitions: readonly Definition[]): void {
    const former = this.#tasks
    this.#tasks = new Map()
    const known = new Map<string, KnownTask>()
    for (const { kind, name, file, schedule = unscheduled } of definitions) {
      if (kind !== 'task') continue
      known.set(name, { name, file, schedule })
      const recurrence = this.#recurrenceOf(file, schedule)
      if (!recurrence) continue
      const old = former.get(name)
      const task: Recurring =
        old?.pattern === recurrence.pattern
          ? Object.assign(old, { file, schedule })
          : { name, file, schedule, ...recurrence, dueMs: 0 }
      this.#tasks.set(name, task)
    }
    this.#timers.update(known)
    this.#look()
  }

  /** Startup rejects an invalid time zone (`checkZones`). In reloaded code it is logged, and the task does not run. */
  #recurrenceOf(file: string, schedule: TaskSchedule): Recurrence | undefined {
    try {
      return recurrenceOf(file, schedule, this.#options.env)
    } catch (error) {
      this.#options.log.error({ file }, (error as Error).message)
      return undefined
    }
  }

  /** Checks again: a handler has scheduled a run, or an instance has died. */
  wake(): void {
    if (this.#stopped) return
    for (const task of this.#tasks.values()) if (task.elsewhere && !this.#busy.has(task.name)) this.#begin(task)
    this.#timers.look()
  }

  /** Claims no new runs; those that are claimed have `graceMs` to finish. The next start reports those that did not. */
  async stop(graceMs: number): Promise<{ unfinished: number }> {
    this.#stopped = true
    const ticks = [...this.#ticks]
    this.#timer?.cancel()
    const ended = Promise.all([
      this.#timers.stop(),
      Promise.allSettled(ticks).then(() => Promise.allSettled(this.#running)),
    ])
    let timer: Timer | undefined
    const late = new Promise<void>((resolve) => {
      timer = this.#options.clock.after(graceMs, resolve, { keepAlive: true })
    })
    await Promise.race([ended, late])
    timer?.cancel()
    return { unfinished: this.#running.size + this.#timers.running }
  }

  #look(): void {
    if (this.#stopped) return
    const now = this.#options.clock.now()
    // The due times were computed before the clock was set back.
    const isBack = now < this.#lookedMs - LATE_MS
    this.#lookedMs = now
    for (const task of this.#tasks.values())
      if (!this.#busy.has(task.name) && (task.dueMs <= now || isBack)) this.#begin(task)
    this.#arm()
  }

  #arm(): void {
    this.#timer?.cancel()
    if (this.#stopped) return
    let dueMs = Infinity
    for (const task of this.#tasks.values()) if (!this.#busy.has(task.name)) dueMs = Math.min(dueMs, task.dueMs)
    this.#timer = timerAt(this.#options.clock, dueMs, () => this.#look())
  }

  #begin(task: Recurring): void {
    const tick = this.#tick(task).finally(() => this.#ticks.delete(tick))
    this.#ticks.add(tick)
  }

  async #tick(task: Recurring): Promise<void> {
    this.#busy.add(task.name)
    try {
      await this.#runDue(task)
    } catch (error) {
      if (!this.#stopped) {
        const { log, clock } = this.#options
        log.error(
          { error },
          `${task.file}: not run, because its last run could not be read (${(error as Error).message}); trying again`,
        )
        task.dueMs = clock.now() + RETRY_MS
      }
    }
    this.#busy.delete(task.name)
    // Its schedule may have changed during the run.
    if (this.#isGone(task)) this.#look()
    else this.#arm()
  }

  /** Its file was removed, or has another schedule now. */
  #isGone(task: Recurring): boolean {
    return this.#tasks.get(task.name) !== task
  }

  async #runDue(task: Recurring): Promise<void> {
    const { store, clock, log, claims } = this.#options
    const { name, file, schedule, pattern, times } = task
    const key = lastKey(name)
    task.elsewhere = false
    const first = !this.#seen.has(name)
    for (;;) {
      const stored = await store.get(key)
      const last = stored?.value as LastRun | undefined
      const expected = stored?.version ?? 0
      const save = (run: Omit<LastRun, 'pattern'>, version = expected) =>
        store.set(key, { ...run, pattern, ...(claims && { machine: claims.id }) } satisfies LastRun, {
          expected: version,
        })
      const claim = async (run: Pick<LastRun, 'scheduledAtMs' | 'failures'>): Promise<boolean> => {
        this.#unwritten.set(name, { ...run, hasEnded: false })
        const isClaimed = await save({ ...run, state: 'running' })
        this.#unwritten.delete(name)
        return isClaimed
      }
      if (claims && last?.state === 'running' && (await claims.isActive(last.machine, key))) {
        task.elsewhere = true
        task.dueMs = clock.now() + OTHERS_MS
        return
      }
      // Only now: after an error, the next attempt is still the first.
      this.#seen.add(name)
      const interrupted = first && last?.state === 'running'
      const failures = (last?.failures ?? 0) + (interrupted ? 1 : 0)
      if (interrupted && schedule.retry && last.pattern === pattern) {
        const { scheduledAtMs } = last
        if (await afterInterruption(failedRun(task, scheduledAtMs, failures), schedule, this.#options)) {
          if (!(await claim({ scheduledAtMs, failures }))) continue
          if (!(await this.#attempt(task, scheduledAtMs, failures))) return
        } else await save({ scheduledAtMs, state: 'done' })
        continue
      }
      const unwritten = this.#unwritten.get(name)
      const isUnwritten = last?.state === 'running' && last.scheduledAtMs === unwritten?.scheduledAtMs
      if (isUnwritten && last.pattern === pattern && last.machine === claims?.id) {
        const { scheduledAtMs } = last
        if (!unwritten.hasEnded && !(await this.#attempt(task, scheduledAtMs, failures))) return
        if (unwritten.hasEnded) await save({ scheduledAtMs, state: 'done' })
        this.#unwritten.delete(name)
        continue
      }
      if (interrupted) log.error({ code: 'ERR_HANDLER', file }, interruptedText(file, last.scheduledAtMs))
      const now = clock.now()
      if (last?.pattern !== pattern) {
        // A new or changed schedule has not missed anything.
        await save({ scheduledAtMs: now, state: 'done' })
        task.dueMs = times.next(now) ?? Infinity
        return
      }
      if (interrupted) {
        await save({ ...last, state: 'done' })
        continue
      }
      const coming = times.next(now) ?? Infinity
      if (last.scheduledAtMs > Math.max(coming, now + LATE_MS)) {
        log.warn(
          { file },
          `${file}: the clock was ahead at its last run (${iso(last.scheduledAtMs)}): it continues with the current time`,
        )
        await save({ scheduledAtMs: now, state: 'done' })
        task.dueMs = coming
        return
      }
      const next = times.next(last.scheduledAtMs)
      if (last.state === 'failed' && schedule.retry) {
        const { scheduledAtMs, againMs = 0 } = last
        // The next run does the work of this one, unless each of them counts.
        const replacedMs = schedule.missed === 'all' ? Infinity : (next ?? Infinity)
        if (now < Math.min(againMs, replacedMs) || this.#stopped) {
          task.dueMs = Math.min(againMs, replacedMs)
          return
        }
        if (now < replacedMs) {
          if (!(await claim({ scheduledAtMs, failures }))) continue
          if (!(await this.#attempt(task, scheduledAtMs, failures))) return
          continue
        }
      }
      if (next === undefined || next > now || this.#stopped) {
        task.dueMs = next ?? Infinity
        return
      }
      const latest = times.latest(now) ?? next
      const scheduledAtMs = schedule.missed === 'all' ? next : latest
      if (schedule.missed === 'skip' && now - latest > LATE_MS) {
        log.info({ file }, `${file}: its run of ${iso(latest)} was missed and is skipped (missed: 'skip')`)
        await save({ scheduledAtMs, state: 'done' })
        continue
      }
      // Claimed before it starts, so that neither a restart nor another process runs it again.
      if (!(await claim({ scheduledAtMs }))) continue
      if (!(await this.#attempt(task, scheduledAtMs, 0))) return
    }
  }

  /**
   * Runs a task that has failed or was interrupted so often at this scheduled time. False: its result is not stored, or its schedule is over.
   */
  async #attempt(task: Recurring, scheduledAtMs: number, failures: number): Promise<boolean> {
    const { clock, log } = this.#options
    const { name, file, schedule } = task
    const { retry } = schedule
    let isStored = true
    this.#unwritten.delete(name)
    await this.#run(lastKey(name), { task: name, scheduledAtMs, retry, failures }, async (failure) => {
      try {
        await this.#storeResult(task, { scheduledAtMs, failures, failure })
      } catch (error) {
        isStored = false
        // A failure that is not stored counts as an interruption.
        if (this.#seen.has(name)) this.#unwritten.set(name, { scheduledAtMs, hasEnded: true })
        if (this.#stopped) return
        const reason = (error as Error).message
        log.error({ error }, `${file}: the result of its last run cannot be stored (${reason}); trying again`)
        task.dueMs = clock.now() + RETRY_MS
      }
    })
    return isStored && !this.#stopped && !this.#isGone(task)
  }

  async #storeResult(
    task: Recurring,
    { scheduledAtMs, failures, failure }: { scheduledAtMs: number; failures: number; failure: RunFailure | undefined },
  ): Promise<void> {
    const { store } = this.#options
    const { name, schedule, pattern } = task
    const key = lastKey(name)
    const done: LastRun = { scheduledAtMs, state: 'done', pattern }
    if (!failure) return void (await store.set(key, done))
    // If its failure cannot be stored, it is repeated as if it was interrupted.
    if (schedule.retry) this.#seen.delete(name)
    const failed = failedRun(task, scheduledAtMs, failures + 1)
    const againMs = await afterFailure(failed, failure, schedule, this.#options)
    const next: LastRun = { ...done, state: 'failed', failures: failures + 1, againMs: againMs ?? 0 }
    await store.set(key, againMs === undefined ? done : next)
  }

  /** Settles when the task has ended, with any result, and that is stored: `stop` waits for both. */
  async #run(
    key: string,
    run: Parameters<typeof runTask>[2],
    ended: (failure?: RunFailure) => Promise<void>,
  ): Promise<void> {
    const work = async () => ended(await runTask(this.#options, key, run))
    const running = work()
    this.#running.add(running)
    try {
      await running
    } finally {
      this.#running.delete(running)
    }
  }
}

const failedRun = ({ name, file }: Recurring, atMs: number, failures: number) => ({
  id: `${name}:${atMs}`,
  ...{ file, task: name, atMs, failures },
})

const iso = (ms: number): string => new Date(ms).toISOString()

type Env = Readonly<Record<string, unknown>> | undefined

/**
 * The times of a schedule, in the time zone of the running bot's environment, not of the build's. Undefined for a task that runs only
 * when a handler schedules it. Throws if the time zone is invalid.
 */
export function recurrenceOf(file: string, schedule: TaskSchedule, env: Env): Recurrence | undefined {
  const { cron, everyMs, timezone } = schedule
  const zone = timezone === undefined ? undefined : timezoneOf(timezone, env, file)
  if (cron === undefined && everyMs === undefined) return undefined
  const times = cron === undefined ? everyOccurrences(everyMs!) : cronOccurrences(cron, zone)
  return { times, pattern: JSON.stringify([cron ?? everyMs, zone]) }
}

/** Throws if a task has an invalid time zone, before the bot reports that it is ready. */
export function checkZones(definitions: readonly Definition[], env: Env): void {
  for (const { file, schedule } of definitions) if (schedule) recurrenceOf(file, schedule, env)
}
