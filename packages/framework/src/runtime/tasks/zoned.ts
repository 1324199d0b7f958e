import type { Definition, TaskSchedule } from '../../author/entries.ts'
import { timezoneOf } from '../../author/timezone.ts'

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
