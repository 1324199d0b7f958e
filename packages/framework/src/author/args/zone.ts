import { BotwrightError } from '@botwright/protocol/facts'

/** A time as a clock on the wall shows it; months count from 1. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Throws `ERR_DEFINITION` when there is no such zone. */
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

/** What the clocks in a zone show. */
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

/** A wall time read as if it were UTC; NaN when there is no such day. */
export function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : NaN
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * When the clocks in a zone show a time. Of a time that they show twice it is the first; one that they leave out, because
 * summer begins, is as much later as they leave out.
 */
export function fromWallTime(wall: WallTime, zone: string): number {
  const utc = asUtc(wall)
  if (!Number.isFinite(utc)) return NaN
  const offsetAt = (ms: number): number => asUtc(wallTime(ms, zone)) - Math.floor(ms / 1000) * 1000
  const before = offsetAt(utc - DAY_MS)
  const behind = offsetAt(utc + DAY_MS)
  for (const offset of [Math.max(before, behind), Math.min(before, behind)]) {
    if (offsetAt(utc - offset) === offset) return utc - offset
  }
  return utc - before
}
