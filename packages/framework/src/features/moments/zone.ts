import { BotwrightError, BoundedMap } from '@botwright/protocol/facts'

/** A time as a wall clock shows it; months count from 1. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

/** People may write each zone in upper and lower case, and a format is large. */
const MOST_FORMATS = 500
const formats = new BoundedMap<string, Intl.DateTimeFormat>(MOST_FORMATS)

/** Throws `ERR_DEFINITION` if there is no such zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format) return format
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw new BotwrightError(
      'ERR_DEFINITION',
      `there is no time zone "${zone}": use a name such as Europe/Berlin, America/New_York or UTC`,
    )
  }
  formats.set(zone, format)
  return format
}

/** The local time in a zone. */
export function wallTime(ms: number, zone: string): WallTime {
  const parts: Record<string, string> = {}
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts[type] = value
  const part = (name: string) => Number(parts[name] ?? 0)
  return {
    year: parts['era'] === 'BC' ? 1 - part('year') : part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  }
}

/** A wall time read as if it were UTC; NaN if there is no such day. */
export function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : NaN
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The instant of a local time in a zone. Of a time that occurs twice, the first; one that is skipped when
 * summer time begins is moved by the length of the gap.
 */
export function fromWallTime(wall: WallTime, zone: string): number {
  const utc = asUtc(wall)
  if (!Number.isFinite(utc)) return NaN
  const offsetAt = (ms: number): number => asUtc(wallTime(ms, zone)) - Math.floor(ms / 1000) * 1000
  const before = offsetAt(utc - DAY_MS)
  const after = offsetAt(utc + DAY_MS)
  for (const offset of [Math.max(before, after), Math.min(before, after)]) {
    if (offsetAt(utc - offset) === offset) return utc - offset
  }
  return utc - before
}
