import { systemClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Defined, definedAs, place } from '../../author/definition.ts'
import { type Duration, durationMs } from '../../author/time/duration.ts'
import type { RetryPolicy, TaskSchedule } from '../../author/files/entries.ts'
import type { Schema } from '../../author/state/schema.ts'
import type { TaskContext } from '../../author/context.ts'
import { isTimezone } from '../../author/time/timezone.ts'
import type { Scheduled, ScheduledId, When } from '../../author/schedule.ts'
import { misspelledField } from '../../author/did-you-mean.ts'

/** The schedule of a task, its payload, and how to handle missed or interrupted runs. */
export interface TaskOptions<P> {
  /** A cron expression of five or six fields: `'0 9 * * *'`. Without `cron` and `every` it runs when a handler schedules it. */
  cron?: string
  /**
   * The time zone of `cron`: `'Europe/Berlin'`. `{ env: 'TEAM_ZONE' }` reads a declared variable when the bot starts.
   * Default: UTC.
   */
  timezone?: TaskSchedule['timezone']
  /** An interval instead of `cron`: `'10m'`. Counted from midnight UTC, so a restart does not change it. */
  every?: Duration
  /**
   * How to handle runs that were due while the bot was stopped, or while the task was still running: one run for all of them
   * (`'once'`, the default of `cron`), each of them (`'all'`), or none that is more than a minute late (`'skip'`, the default of `every`).
   */
  missed?: TaskSchedule['missed']
  /**
   * Whether a run that failed, or that a crash interrupted, runs again, and how often: `{ errors: 5, after: '10s' }`. `true`: after an error
   * 3 times, after 10 s, 1 min and 10 min. Then it is set aside. Default false: it is only logged.
   */
  retry?: boolean | RetryOptions
  /** Checks the payload. */
  payload?: Schema<P>
  /** Has the same time limit as every handler (`limits.handlerSeconds`). */
  run: (ctx: TaskContext<P>) => unknown
}

/** When a run that failed runs again, before it is set aside. */
export interface RetryOptions {
  /** How often it runs again after errors and crashes. Default 3. */
  errors?: number
  /** The wait before each attempt, or a list of waits, of which the last one repeats. Default `['10s', '1m', '10m']`. */
  after?: Duration | readonly Duration[]
}

const fields: Readonly<Record<keyof TaskOptions<unknown>, true>> = {
  cron: true,
  timezone: true,
  every: true,
  missed: true,
  retry: true,
  payload: true,
  run: true,
}

/** Anything that can schedule: every context. */
interface Scheduling {
  schedule(name: string, when: When, payload: unknown): Promise<ScheduledId>
  scheduled(name: string): Promise<Scheduled[]>
}

/** The result of `task(…)`: the default export of a file under `tasks/`. */
export interface TaskDefinition<P = undefined> extends Defined {
  readonly [definedAs]: 'task'
  readonly times: TaskSchedule
  /** For the types only: the payload. */
  readonly takes?: (payload: P) => void
  /** Runs the task once, at a time or after a delay; survives restarts. Returns an id for `ctx.unschedule(id)`. */
  schedule(
    ctx: Scheduling,
    when: When,
    ...payload: undefined extends P ? [payload?: P] : [payload: P]
  ): Promise<ScheduledId>
  /** Its scheduled runs that have not started or wait for another attempt, ordered by time. */
  scheduled(ctx: Scheduling): Promise<Scheduled<P>[]>
}

/**
 * Defines a task: the default export of a file under `tasks/`. It runs on a schedule
 * (`task({ cron: '0 9 * * *', run })`), or when a handler requests it: `ctx.schedule('reminders', { in: '2h' }, payload)`.
 */
export function task<P = undefined>(options: TaskOptions<P>): TaskDefinition<P> {
  const { cron, timezone, every, retry = false } = options
  const everyMs = every === undefined ? undefined : durationMs(every, 'task({ every })')
  const self: TaskDefinition<P> = {
    [definedAs]: 'task',
    problem:
      misspelledField(options, fields) ??
      (typeof retry === 'object' ? misspelledField(retry, { errors: true, after: true }) : undefined),
    run: options.run,
    payload: options.payload,
    times: {
      ...(cron !== undefined && { cron }),
      ...(timezone !== undefined && { timezone }),
      ...(everyMs !== undefined && { everyMs }),
      missed: options.missed ?? (every === undefined ? 'once' : 'skip'),
      retry: typeof retry === 'object' ? policyOf(retry) : retry,
    },
    checkTimes: () => scheduleProblem(self.times),
    schedule: async (ctx, when, ...payload) => ctx.schedule(name(), when, payload[0]),
    scheduled: async (ctx) => (await ctx.scheduled(name())) as Scheduled<P>[],
  }
  const name = (): string => {
    const at = self[place]
    if (!at) throw new BotwrightError('ERR_DEFINITION', noFile)
    return at.name
  }
  return self
}

/** The default policy. */
export const standardRetry: RetryPolicy = { errors: 3, waitsMs: [10_000, 60_000, 600_000] }

function policyOf({ errors = standardRetry.errors, after }: RetryOptions): RetryPolicy {
  if (after === undefined) return { errors, waitsMs: standardRetry.waitsMs }
  const waits = typeof after === 'object' ? after : [after]
  return { errors, waitsMs: waits.map((wait) => durationMs(wait, 'task({ retry: { after } })')) }
}

function retryProblem(retry: TaskSchedule['retry']): string | undefined {
  if (typeof retry === 'boolean') return undefined
  const { errors, waitsMs } = retry
  if (!Number.isSafeInteger(errors) || errors < 1 || errors > MOST_ERRORS)
    return `retry.errors must be a whole number from 1 to ${MOST_ERRORS}`
  if (waitsMs.length === 0) return "retry.after must have at least one wait, such as '10s'"
  return waitsMs.some((ms) => ms < 1000) ? "retry.after must be at least '1s'" : undefined
}

const MOST_ERRORS = 100

const noFile = 'this task has no file: make it the default export of a file under tasks/'

/** The problem with a schedule; undefined if there is none. */
export async function scheduleProblem(schedule: TaskSchedule): Promise<string | undefined> {
  const { cron, timezone, everyMs, missed } = schedule
  if (!['once', 'all', 'skip'].includes(missed)) return "missed must be 'once', 'all' or 'skip'"
  const retrying = retryProblem(schedule.retry)
  if (retrying !== undefined) return retrying
  if (cron !== undefined && everyMs !== undefined) return 'has both cron and every; use only one'
  if (everyMs !== undefined && everyMs < 1000) return "every must be at least '1s'"
  if (timezone !== undefined && cron === undefined)
    return 'has a timezone without cron, but every counts from midnight UTC'
  // The value of a variable is known when the bot starts.
  const written = typeof timezone === 'string' ? timezone : undefined
  if (written !== undefined && !isTimezone(written))
    return `there is no time zone ${JSON.stringify(written)}; write it as 'Europe/Berlin'`
  if (cron === undefined) return undefined
  const { cronOccurrences } = await import('./occurrences.ts')
  try {
    if (cronOccurrences(cron, written).next(systemClock.now()) === undefined) return `cron '${cron}' never occurs`
  } catch (error) {
    return `cron '${cron}' cannot be read (${(error as Error).message.replace(/^CronPattern: /, '')}); write it as '0 9 * * *': minute, hour, day, month, weekday`
  }
  return undefined
}
