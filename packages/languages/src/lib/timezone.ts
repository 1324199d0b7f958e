import { BotwrightError } from '@botwright/framework'

/** Whose clocks dates are shown by: a zone, or the declared variable that names one where the bot runs. */
export type Timezone = string | { env: string }

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Throws `ERR_CONFIG` where the variable names no zone. Its value is not told: it may be a secret in the wrong line. */
export function zoneOf(timezone: Timezone, env: Readonly<Record<string, unknown>>): string {
  if (typeof timezone === 'string') return timezone
  const zone = env[timezone.env]
  if (typeof zone === 'string' && isTimezone(zone)) return zone
  throw new BotwrightError(
    'ERR_CONFIG',
    `languages: timezone: the variable ${timezone.env} names no time zone; declare it in env of bot.config.ts, and write it as ${timezone.env}=Europe/Berlin`,
  )
}
