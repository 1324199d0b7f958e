// Runs in the supervisor: computes when each task is due, and claims each run before it starts.

import type { Timer } from '@botwright/clock'
import type { Definition, TaskSchedule } from '../../../author/files/entries.ts'
import { cronOccurrences, everyOccurrences, type Occurrences } from '../occurrences.ts'
import { timezoneOf } from '../../../author/time/timezone.ts'
import { type KnownTask, LATE_MS, type Looks, OFF_MS, unscheduled, type TasksHost } from '../known-task.ts'
import { DueRowRunner, OTHERS_MS, RETRY_MS, type Work } from '../../due-rows/due-row-runner.ts'
import { timerPrefix } from '../stored-timers.ts'
import { afterFailure, afterInterruption, attemptMs, isSkipped } from './failed-runs.ts'
import { runTask } from './run-task.ts'
import { TimerRunner } from './timer-runner.ts'

/** The stored state of a recurring task: its last run and the schedule at that time. */
export interface LastRun {
  scheduledAtMs: number
  /** `failed`: it waits for its next attempt. */
  state: 'running' | 'done' | 'failed'
  pattern: string
  /** How often the run has failed or was interrupted; with `done`, it is over without success. */
  failures?: number
  /** When a failed run is attempted again. */
  againMs?: number
  /** The last run of before the clock was set back. If it is set forward again, the runs until then are not missed. */
  ranUntilMs?: number
  /** In a cluster, the instance that runs it. */
  machine?: string
}

/** When a task runs. The pattern identifies the schedule. */
interface Recurrence {
  times: Occurrences
  pattern: string
}

interface Recurring extends KnownTask, Recurrence {
  /** That of its last run in the store. */
  key: string
  dueMs: number
}

export const lastKey = (name: string) => `task:last:${name}`

export class Scheduler {
  readonly #options: TasksHost & Looks
  readonly #timers: TimerRunner
  readonly #rows: DueRowRunner<Recurring>
  /** Tasks whose last run this process has checked. A run that is `running` at the first check was interrupted. */
  readonly #seen = new Set<string>()
  #tasks = new Map<string, Recurring>()
  #lookedMs = -Infinity

  constructor(options: TasksHost & Looks) {
    const { clock, log, claims } = options
    this.#options = options
    this.#timers = new TimerRunner(options)
    this.#rows = new DueRowRunner({
      ...{ clock, log, claims, name: 'the tasks', concurrent: Infinity },
      list: async () => this.#list(),
      dueMs: ({ dueMs }) => dueMs,
      begin: (task) => this.#begin(task),
      failed: ({ file }, error) => log.error({ error }, `${file}: could not run (${error.message}); trying again`),
      refused: ({ file }, error) =>
        log.error({ error }, `${file}: the result of its last run cannot be stored (${error.message}); trying again`),
    })
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
          : { name, file, schedule, ...recurrence, key: lastKey(name), dueMs: 0 }
      this.#tasks.set(name, task)
    }
    this.#timers.update(known)
    this.#rows.look()
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

  /** A key of the store was written: a handler may have scheduled a run. */
  onStoreWrite(key: string): void {
    if (key.startsWith(timerPrefix)) this.wake()
  }

  wake(): void {
    this.#rows.look()
    this.#timers.rows.look()
  }

  /** Resolves once no run is due, and none runs. */
  readonly idle = () => Promise.all([this.#rows.idle(), this.#timers.rows.idle()])

  /** The next start reports the runs that did not finish. */
  async stop(graceMs: number, until?: AbortSignal): Promise<{ unfinished: number }> {
    const all = [this.#rows, this.#timers.rows]
    const ended = Promise.all(all.map((rows) => rows.stop(until)))
    let timer: Timer | undefined
    const late = new Promise<void>((resolve) => {
      timer = this.#options.clock.after(graceMs, resolve, { keepAlive: true })
    })
    await Promise.race([ended, late])
    timer?.cancel()
    return { unfinished: all.reduce((sum, { working }) => sum + working, 0) }
  }

  #list(): Recurring[] {
    const now = this.#options.clock.now()
    const tasks = [...this.#tasks.values()]
    // The due times were computed before the clock was set back.
    if (now < this.#lookedMs - LATE_MS) for (const task of tasks) task.dueMs = 0
    this.#lookedMs = now
    return tasks
  }

  async #begin(task: Recurring): Promise<Work | number | undefined> {
    const { store, clock, log } = this.#options
    const { name, file, key } = task
    try {
      const stored = await store.get(key)
      const last = stored?.value as LastRun | undefined
      if (last?.state === 'running' && (await this.#rows.isActive(key, last))) return clock.now() + OTHERS_MS
      if (await this.#options.switches?.isOff(`tasks/${name}`)) return clock.now() + OFF_MS
      const begun = await this.#beginDue(task, last, stored?.version ?? 0)
      // Only now: after an error, the next attempt is still the first.
      this.#seen.add(name)
      return begun
    } catch (error) {
      const reason = (error as Error).message
      if (!this.#rows.stopped) log.error({ error }, `${file}: cannot begin (${reason}); trying again`)
      return (task.dueMs = clock.now() + RETRY_MS)
    }
  }

  async #beginDue(task: Recurring, last: LastRun | undefined, expected: number): Promise<Work | number | undefined> {
    const { store, clock, claims, lookMs = 0 } = this.#options
    const { name, file, key, schedule, pattern, times } = task
    const now = clock.now()
    const isSame = last?.pattern === pattern
    const { scheduledAtMs, failures = 0, ranUntilMs = 0 } = last ?? { scheduledAtMs: now }
    const kept = isSame && ranUntilMs > now && { ranUntilMs }
    const save = (run: Omit<LastRun, 'pattern'>) =>
      store.set(key, { ...kept, ...run, pattern, ...(claims && { machine: claims.id }) } satisfies LastRun, {
        expected,
      })
    const done = async (scheduledAtMs: number, more: Pick<LastRun, 'failures' | 'ranUntilMs'> = {}) =>
      void (await save({ scheduledAtMs, state: 'done', ...more }))
    // Claimed before it starts, so that neither a restart nor another process runs it again.
    const claimed = async (scheduledAtMs: number, failures = 0) => {
      const running: LastRun = { ...kept, scheduledAtMs, state: 'running', pattern, ...(failures > 0 && { failures }) }
      const claim = await this.#rows.claimAs(store, { key, value: last!, version: expected }, running)
      return claim && (() => this.#run(task, claim, failures))
    }
    if (last?.state === 'running') {
      if (isSame && this.#rows.isOwn(key, last, expected)) return claimed(scheduledAtMs, failures)
      if (!this.#seen.has(name)) {
        const interrupted = failedRun(task, scheduledAtMs, failures + 1)
        const retry = isSame && schedule.retry
        if (await afterInterruption(interrupted, { retry }, this.#options)) return claimed(scheduledAtMs, failures + 1)
        if (isSame) return done(scheduledAtMs, { failures: failures + 1 })
      }
    }
    if (!isSame) {
      // A new or changed schedule has not missed anything.
      await done(now)
      return (task.dueMs = times.next(now) ?? Infinity)
    }
    const coming = times.next(now) ?? Infinity
    if (scheduledAtMs > Math.max(coming, now + LATE_MS)) {
      const fact = `the clock was ahead at its last run (${new Date(scheduledAtMs).toISOString()})`
      this.#options.log.warn({ file }, `${file}: ${fact}: it continues with the current time`)
      // A run that has failed has not run: if the clock is set forward again, it is missed.
      const ranMs = last.state === 'failed' && schedule.retry ? scheduledAtMs - 1 : scheduledAtMs
      await done(now, { ranUntilMs: Math.max(ranMs, ranUntilMs) })
      return (task.dueMs = coming)
    }
    const nextMs = times.next(scheduledAtMs) ?? Infinity
    if (last.state === 'failed' && schedule.retry) {
      // The next run does the work of this one, unless each of them counts.
      const replacedMs = schedule.missed === 'all' ? Infinity : nextMs
      const againMs = Math.min(attemptMs(last.againMs ?? 0, schedule, now), replacedMs)
      if (now < againMs) return (task.dueMs = againMs)
      if (now < replacedMs) return claimed(scheduledAtMs, failures)
    }
    if (nextMs > now) return (task.dueMs = nextMs)
    // The clock was behind only for a while.
    if (nextMs <= ranUntilMs && ranUntilMs <= now && now > nextMs + lookMs + LATE_MS) return done(ranUntilMs)
    const latestMs = times.latest(now) ?? nextMs
    if (isSkipped({ file, atMs: latestMs }, schedule, this.#options)) return done(latestMs)
    return claimed(schedule.missed === 'all' ? nextMs : latestMs)
  }

  /** Returns the write of the result. */
  async #run(task: Recurring, claim: LastRun, failures: number): Promise<() => Promise<unknown>> {
    const { store } = this.#options
    const { scheduledAtMs, pattern, ranUntilMs } = claim
    const { name, key, schedule } = task
    const { retry } = schedule
    const failure = await runTask(this.#options, { task: name, scheduledAtMs, retry, failures })
    const done: LastRun = { scheduledAtMs, state: 'done', pattern, ...(ranUntilMs && { ranUntilMs }) }
    let isRefused = false
    return async () => {
      // A failure that cannot be stored counts as an interruption.
      if (failure && retry && isRefused) return this.#seen.delete(name)
      const expected = await this.#rows.claimedVersion(store, key, claim)
      if (expected === undefined) return undefined
      if (!failure) return store.set(key, done, { expected })
      isRefused = true
      const failed = failedRun(task, scheduledAtMs, failures + 1)
      const againMs = await afterFailure(failed, failure, schedule, this.#options)
      const over: LastRun = { ...done, failures: failures + 1 }
      return store.set(key, againMs === undefined ? over : { ...over, state: 'failed', againMs }, { expected })
    }
  }
}

const failedRun = ({ name, file }: Recurring, atMs: number, failures: number) => ({
  id: `${name}:${atMs}`,
  ...{ file, task: name, atMs, failures },
})

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
