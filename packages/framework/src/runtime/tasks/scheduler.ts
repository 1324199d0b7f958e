// In the supervisor: knows when each task is due, and sees to it that a run is claimed before it begins.

import type { Clock, Timer } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import type { Claims } from '../../link/claims.ts'
import type { Definition, TaskSchedule } from '../../author/entries.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import { cronOccurrences, everyOccurrences, type Occurrences } from '../../author/tasks/occurrences.ts'
import {
  interruptedText,
  type KnownTask,
  LATE_MS,
  OTHERS_MS,
  RETRY_MS,
  taskDelivery,
  type TaskRun,
  unscheduled,
} from '../../link/tasks/task-event.ts'
import { TimerRunner } from './timer-runner.ts'
import { timezoneOf } from '../../author/timezone.ts'

export interface SchedulerOptions {
  store: StateStore
  clock: Clock
  log: Log
  dispatch: (delivery: Delivery) => void | Promise<void>
  /** The values of the declared variables: one of them may name a task's time zone. */
  env?: Readonly<Record<string, unknown>>
  /** Which machine runs what, where there are several. */
  claims?: Claims
}

/** What is kept of a task by the clock: its last run, and the schedule that it was by. */
interface LastRun {
  scheduledAtMs: number
  state: 'running' | 'done'
  pattern: string
  /** The machine that runs it, in a cluster. */
  machine?: string
}

interface Recurring extends KnownTask {
  times: Occurrences
  pattern: string
  dueMs: number
  /** Another machine runs it. */
  elsewhere?: boolean
}

/** Timers cannot see that the machine slept or its clock was set: look so often at least. */
const LOOK_MS = 10 * 60_000

const lastKey = (name: string) => `task:last:${name}`

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #timers: TimerRunner
  readonly #running = new Set<Promise<void>>()
  /** Tasks whose last run was looked at since the process began: `running` before that means that it was interrupted. */
  readonly #seen = new Set<string>()
  /** Tasks that run, or whose last run is being looked at; also when their file is gone meanwhile, or another one. */
  readonly #busy = new Set<string>()
  #tasks = new Map<string, Recurring>()
  #lookedMs = -Infinity
  #timer: Timer | undefined
  #stopped = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#timers = new TimerRunner({
      ...options,
      run: (run, again, key, noteDone) => this.#run(run, again, key, noteDone),
      changed: () => this.#arm(),
    })
  }

  /** Takes the tasks of new code. What is running goes on; a changed schedule begins anew. */
  update(definitions: readonly Definition[]): void {
    const former = this.#tasks
    this.#tasks = new Map()
    const known = new Map<string, KnownTask>()
    for (const { kind, name, file, schedule = unscheduled } of definitions) {
      if (kind !== 'task') continue
      known.set(name, { name, file, schedule })
      const { cron, timezone, everyMs } = this.#zoned(file, schedule)
      if (cron === undefined && everyMs === undefined) continue
      const pattern = JSON.stringify([cron ?? everyMs, timezone])
      const old = former.get(name)
      const task: Recurring =
        old?.pattern === pattern
          ? Object.assign(old, { file, schedule })
          : {
              name,
              file,
              schedule,
              pattern,
              times: cron === undefined ? everyOccurrences(everyMs!) : cronOccurrences(cron, timezone),
              dueMs: 0,
            }
      this.#tasks.set(name, task)
    }
    this.#timers.update(known)
    this.#look()
  }

  /** The start refuses a zone that is none; new code that names one while the bot runs is told, and its task waits. */
  #zoned(file: string, schedule: TaskSchedule): ZonedSchedule {
    try {
      return zoned(file, schedule, this.#options.env)
    } catch (error) {
      this.#options.log.error({ file }, (error as Error).message)
      return { missed: schedule.missed, retry: schedule.retry }
    }
  }

  /** A handler has scheduled something, or a machine is gone. */
  wake(): void {
    if (this.#stopped) return
    for (const task of this.#tasks.values()) if (task.elsewhere && !this.#busy.has(task.name)) void this.#tick(task)
    this.#timers.look()
  }

  /** No new runs; those that run may finish within `graceMs`. The others are reported at the next start. */
  async stop(graceMs: number): Promise<{ unfinished: number }> {
    this.#stopped = true
    this.#timers.stop()
    this.#timer?.cancel()
    if (this.#running.size === 0) return { unfinished: 0 }
    let timer: Timer | undefined
    const late = new Promise<void>((resolve) => {
      timer = this.#options.clock.after(graceMs, resolve, { keepAlive: true })
    })
    await Promise.race([Promise.allSettled([...this.#running]), late])
    timer?.cancel()
    return { unfinished: this.#running.size }
  }

  #look(): void {
    if (this.#stopped) return
    const now = this.#options.clock.now()
    // What is due was worked out by a clock that has been set back since.
    const isBack = now < this.#lookedMs - LATE_MS
    this.#lookedMs = now
    for (const task of this.#tasks.values())
      if (!this.#busy.has(task.name) && (task.dueMs <= now || isBack)) void this.#tick(task)
    this.#timers.look()
    this.#arm()
  }

  #arm(): void {
    this.#timer?.cancel()
    if (this.#stopped) return
    const { clock } = this.#options
    const now = clock.now()
    let dueMs = Math.min(this.#timers.dueMs, now + LOOK_MS)
    for (const task of this.#tasks.values()) if (!this.#busy.has(task.name)) dueMs = Math.min(dueMs, task.dueMs)
    this.#timer = clock.after(Math.max(dueMs - now, 0), () => this.#look())
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
    // Its schedule may have changed meanwhile.
    if (this.#isGone(task)) this.#look()
    else this.#arm()
  }

  /** Its file is gone, or says another schedule now. */
  #isGone(task: Recurring): boolean {
    return this.#tasks.get(task.name) !== task
  }

  async #runDue(task: Recurring): Promise<void> {
    const { store, clock, log, claims } = this.#options
    const { name, file, schedule, pattern, times } = task
    const key = lastKey(name)
    task.elsewhere = false
    const first = !this.#seen.has(name)
    this.#seen.add(name)
    for (;;) {
      const stored = await store.get(key)
      const last = stored?.value as LastRun | undefined
      const expected = stored?.version ?? 0
      const note = (run: Omit<LastRun, 'pattern'>, version = expected) =>
        store.set(key, { ...run, pattern, ...(claims && { machine: claims.id }) } satisfies LastRun, {
          expected: version,
        })
      const noteDone = (scheduledAtMs: number) => () =>
        store.set(key, { scheduledAtMs, state: 'done', pattern } satisfies LastRun)
      if (claims && last?.state === 'running' && (await claims.isActive(last.machine, key))) {
        this.#seen.delete(name)
        task.elsewhere = true
        task.dueMs = clock.now() + OTHERS_MS
        return
      }
      const interrupted = first && last?.state === 'running'
      if (interrupted && schedule.retry && last.pattern === pattern) {
        log.warn({ file }, `${file}: its run of ${iso(last.scheduledAtMs)} was interrupted and runs again`)
        const { scheduledAtMs } = last
        if (claims && !(await note({ scheduledAtMs, state: 'running' }))) continue
        await this.#run({ task: name, scheduledAtMs, retry: true }, true, key, noteDone(scheduledAtMs))
        if (this.#stopped || this.#isGone(task)) return
        continue
      }
      if (interrupted) log.error({ code: 'ERR_HANDLER', file }, interruptedText(file, last.scheduledAtMs))
      const now = clock.now()
      if (last?.pattern !== pattern) {
        // New, or by another schedule: what would have come before is not missed.
        await note({ scheduledAtMs: now, state: 'done' })
        task.dueMs = times.next(now) ?? Infinity
        return
      }
      if (interrupted) {
        await note({ ...last, state: 'done' })
        continue
      }
      const coming = times.next(now) ?? Infinity
      if (last.scheduledAtMs > Math.max(coming, now + LATE_MS)) {
        log.warn(
          { file },
          `${file}: the clock was ahead at its last run (${iso(last.scheduledAtMs)}): it continues with the current time`,
        )
        await note({ scheduledAtMs: now, state: 'done' })
        task.dueMs = coming
        return
      }
      const next = times.next(last.scheduledAtMs)
      if (next === undefined || next > now || this.#stopped) {
        task.dueMs = next ?? Infinity
        return
      }
      const latest = times.latest(now) ?? next
      const scheduledAtMs = schedule.missed === 'all' ? next : latest
      if (schedule.missed === 'skip' && now - latest > LATE_MS) {
        log.info({ file }, `${file}: its run of ${iso(latest)} was missed and is skipped (missed: 'skip')`)
        await note({ scheduledAtMs, state: 'done' })
        continue
      }
      // Claimed before it begins, so that no restart and no other process runs it again.
      if (!(await note({ scheduledAtMs, state: 'running' }))) continue
      await this.#run({ task: name, scheduledAtMs, retry: schedule.retry }, false, key, noteDone(scheduledAtMs))
      if (this.#stopped || this.#isGone(task)) return
    }
  }

  /** Settles when the task has ended, whatever became of it, and that is noted: a stop waits for both. */
  async #run(run: TaskRun, again: boolean, key: string, noteDone: () => Promise<unknown>): Promise<void> {
    const { clock, dispatch, claims } = this.#options
    const work = async (): Promise<void> => {
      claims?.begin(key)
      try {
        await dispatch(taskDelivery(run, clock.now(), again))
      } finally {
        claims?.end(key)
      }
      await noteDone()
    }
    const running = work()
    this.#running.add(running)
    try {
      await running
    } finally {
      this.#running.delete(running)
    }
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

type Env = Readonly<Record<string, unknown>> | undefined

/** A schedule whose time zone is known. */
export type ZonedSchedule = Omit<TaskSchedule, 'timezone'> & { timezone?: string }

/** The schedule with the zone that the environment names; it is read where the bot runs, and not where it was built. */
export function zoned(file: string, schedule: TaskSchedule, env: Env): ZonedSchedule {
  const { timezone, ...others } = schedule
  if (timezone === undefined) return others
  return { ...others, timezone: timezoneOf(timezone, env, file) }
}

/** Throws where a task has a time zone that cannot be: before the bot calls itself ready. */
export function checkZones(definitions: readonly Definition[], env: Env): void {
  for (const { file, schedule } of definitions) if (schedule) zoned(file, schedule, env)
}
