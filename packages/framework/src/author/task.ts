import { systemClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Defined, definedAs, place } from './definition.ts'
import { type Duration, durationMs } from './duration.ts'
import type { TaskSchedule } from './entries.ts'
import type { Schema } from './state/schema.ts'
import type { TaskContext } from './context.ts'
import { isTimezone } from './timezone.ts'
import type { Scheduled, ScheduledId, When } from './tasks/schedule.ts'
import { misspelledField } from './did-you-mean.ts'

/** When a task runs, what it is scheduled with, and what becomes of runs that were missed or interrupted. */
export interface TaskOptions<P> {
  /** When it runs, as five or six fields of cron: `'0 9 * * *'`. Without `cron` and `every` it runs when a handler schedules it. */
  cron?: string
  /**
   * Whose clock the fields of `cron` mean: `'Europe/Berlin'`. `{ env: 'TEAM_ZONE' }` is what a declared variable says where the bot runs.
   * Default: UTC.
   */
  timezone?: TaskSchedule['timezone']
  /** Instead of `cron`: `'10m'`. Counted from midnight UTC, so that a restart changes nothing. */
  every?: Duration
  /**
   * What becomes of runs whose time came while the bot was stopped, or while the task still ran: one run for all of them
   * (`'once'`, the default of `cron`), each of them (`'all'`), or none that is over a minute late (`'skip'`, the default of `every`).
   */
  missed?: TaskSchedule['missed']
  /** Whether a run during which the process died runs again. Default false: it is only reported. */
  retry?: boolean
  /** Checks what the task is scheduled with. */
  payload?: Schema<P>
  /** Its time is limited as that of every handler (`limits.handlerSeconds`). */
  run: (ctx: TaskContext<P>) => unknown
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

/** What `task(…)` gives: the default export of a file under `tasks/`. */
export interface TaskDefinition<P = undefined> extends Defined {
  readonly [definedAs]: 'task'
  readonly times: TaskSchedule
  /** Only for the types: what it is scheduled with. */
  readonly takes?: (payload: P) => void
  /** Runs the task once, at a time or after a while; kept over restarts. Gives an id for `ctx.unschedule(id)`. */
  schedule(
    ctx: Scheduling,
    when: When,
    ...payload: undefined extends P ? [payload?: P] : [payload: P]
  ): Promise<ScheduledId>
  /** What is scheduled for it and has not begun, in the order of its time. */
  scheduled(ctx: Scheduling): Promise<Scheduled<P>[]>
}

/**
 * Defines what the bot does by itself: the default export of a file under `tasks/`. By the clock
 * (`task({ cron: '0 9 * * *', run })`), or when a handler asks for it: `ctx.schedule('reminders', { in: '2h' }, payload)`.
 */
export function task<P = undefined>(options: TaskOptions<P>): TaskDefinition<P> {
  const { cron, timezone, every, retry = false } = options
  const everyMs = every === undefined ? undefined : durationMs(every, 'task({ every })')
  const self: TaskDefinition<P> = {
    [definedAs]: 'task',
    problem: misspelledField(options, fields),
    run: options.run,
    payload: options.payload,
    times: {
      ...(cron !== undefined && { cron }),
      ...(timezone !== undefined && { timezone }),
      ...(everyMs !== undefined && { everyMs }),
      missed: options.missed ?? (every === undefined ? 'once' : 'skip'),
      retry,
    },
    schedule: async (ctx, when, ...payload) => ctx.schedule(name(), when, payload[0]),
    scheduled: async (ctx) => (await ctx.scheduled(name())) as Scheduled<P>[],
  }
  const name = (): string => {
    const at = self[place]
    if (!at) throw new BotwrightError('ERR_DEFINITION', homeless)
    return at.name
  }
  return self
}

const homeless = 'this task has no file: make it the default export of a file under tasks/'

/** What is wrong with a schedule; undefined when nothing is. */
export async function scheduleProblem(schedule: TaskSchedule): Promise<string | undefined> {
  const { cron, timezone, everyMs, missed } = schedule
  if (!['once', 'all', 'skip'].includes(missed)) return "missed must be 'once', 'all' or 'skip'"
  if (cron !== undefined && everyMs !== undefined) return 'has both cron and every; use only one'
  if (everyMs !== undefined && everyMs < 1000) return "every must be at least '1s'"
  if (timezone !== undefined && cron === undefined)
    return 'has a timezone without cron, but every counts from midnight UTC'
  // What a variable says is known when the bot starts.
  const written = typeof timezone === 'string' ? timezone : undefined
  if (written !== undefined && !isTimezone(written))
    return `there is no time zone ${JSON.stringify(written)}; write it as 'Europe/Berlin'`
  if (cron === undefined) return undefined
  const { cronOccurrences } = await import('./tasks/occurrences.ts')
  try {
    if (cronOccurrences(cron, written).next(systemClock.now()) === undefined) return `cron '${cron}' never occurs`
  } catch (error) {
    return `cron '${cron}' cannot be read (${(error as Error).message.replace(/^CronPattern: /, '')}); write it as '0 9 * * *': minute, hour, day, month, weekday`
  }
  return undefined
}
