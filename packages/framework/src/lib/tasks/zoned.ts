import { BotwrightError } from '@botwright/protocol/facts'
import type { Definition, TaskSchedule } from '../ports.ts'
import { isTimezone } from './timezone.ts'

type Env = Readonly<Record<string, unknown>> | undefined

/** A schedule whose time zone is known. */
export type ZonedSchedule = Omit<TaskSchedule, 'timezone'> & { timezone?: string }

/** The schedule with the zone that the environment names; it is read where the bot runs, and not where it was built. */
export function zoned(file: string, schedule: TaskSchedule, env: Env): ZonedSchedule {
  const { timezone, ...others } = schedule
  if (timezone === undefined) return others
  if (typeof timezone === 'string') return { ...others, timezone }
  const zone = env?.[timezone.env]
  // Its value is not told: it may be a secret that was put in the wrong line.
  const wrong = (fact: string) => new BotwrightError('ERR_CONFIG', `${file}: timezone: ${fact}`)
  if (zone === undefined)
    throw wrong(
      `there is no variable ${timezone.env}: declare it in env of bot.config.ts, and set it or give it a default`,
    )
  if (typeof zone !== 'string' || !isTimezone(zone))
    throw wrong(`the variable ${timezone.env} names no time zone; write it as ${timezone.env}=Europe/Berlin`)
  return { ...others, timezone: zone }
}

/** Throws where a task has a time zone that cannot be: before the bot calls itself ready. */
export function checkZones(definitions: readonly Definition[], env: Env): void {
  for (const { file, schedule } of definitions) if (schedule) zoned(file, schedule, env)
}
