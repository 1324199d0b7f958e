import { BotwrightError, BoundedMap } from '@botwright/protocol/facts'

/** A time zone such as `'Europe/Berlin'`, or the declared variable that contains one. */
export type Timezone = string | { env: string }

/** There are about 600 zones, but people may write each of them in upper and lower case. */
const MOST_KNOWN = 1000

/** Asking for a zone takes as long as loading a file, and a bot's code may be loaded many times in a process. */
const known = new BoundedMap<string, true>(MOST_KNOWN)

/** Whether there is a time zone with that name. */
export function isTimezone(name: string): boolean {
  if (known.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    known.set(name, true)
    return true
  } catch {
    return false
  }
}

/** The name of a zone, read from `ctx.env` if it is in a variable. Throws `ERR_CONFIG` for an unknown zone; `place`: the option's location. */
export function timezoneOf(
  timezone: Timezone,
  env: Readonly<Record<string, unknown>> | undefined,
  place: string,
): string {
  if (typeof timezone === 'string') return timezone
  const zone = env?.[timezone.env]
  // The value is not shown: it may be a secret in the wrong line.
  const wrong = (fact: string) => new BotwrightError('ERR_CONFIG', `${place}: timezone: ${fact}`)
  if (zone === undefined)
    throw wrong(
      `there is no variable ${timezone.env}: declare it in env of bot.config.ts, and set it or give it a default`,
    )
  if (typeof zone !== 'string' || !isTimezone(zone))
    throw wrong(`the variable ${timezone.env} is not a time zone; write ${timezone.env}=Europe/Berlin`)
  return zone
}
