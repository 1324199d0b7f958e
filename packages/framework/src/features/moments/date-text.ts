import { parseDuration } from '../../author/time/duration.ts'
import { asUtc, fromWallTime, type WallTime, wallTime } from './zone.ts'

// Words of both languages are always accepted: none of them means different days.
const weekdays = new Map(
  [
    ['sunday', 'sun', 'sonntag'],
    ['monday', 'mon', 'montag'],
    ['tuesday', 'tue', 'dienstag'],
    ['wednesday', 'wed', 'mittwoch'],
    ['thursday', 'thu', 'donnerstag'],
    ['friday', 'fri', 'freitag'],
    ['saturday', 'sat', 'samstag', 'sonnabend'],
  ].flatMap((names, day) => names.map((name) => [name, day] as const)),
)
/** Days only in front of a time of day: `do` and `so` are words of other sentences too, as in "6 pm do the dishes". */
const shortWeekdays = ['so', 'mo', 'di', 'mi', 'do', 'fr', 'sa']
const ahead = new Map(
  Object.entries({ today: 0, tomorrow: 1, yesterday: -1, heute: 0, morgen: 1, übermorgen: 2, gestern: -1 }),
)

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[t ]\s?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?\s?(z|[+-]\d{2}(?::?\d{2})?)?$/i
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
/** `1.3.2026`, `1. 3. 2026`, `1.3.26`, `1.3.` */
const GERMAN_DAY = /^(\d{1,2})\. ?(\d{1,2})\.(?: ?(\d{4})|(\d{2}))?$/
/** `18 Uhr`, `18.30 Uhr`, `18 Uhr 30`. */
const GERMAN_CLOCK = /^(\d{1,2})(?:[.:](\d{2})\s?uhr|\s?uhr(?: (\d{2}))?)$/
const CLOCK = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s?(?:([ap])\.?m\.?)?$/i
/** `on friday`, `am Freitag`; but `am Morgen` is in the morning. */
const ON = /^(?:on|am) (?!morgen)/
/** As in `am 1. 3. 2026`. */
const MOST_DAY_WORDS = 4
/** From one 29 February to the next, around the year 2100. */
const MOST_YEARS = 8

/** The time and place of a person who types a date. */
export interface Typing {
  nowMs: number
  zone: string
  /** `past` selects the last of several moments, such as each Friday at 18:00; anything else the next one. */
  when?: 'future' | 'past' | undefined
}

/**
 * Reads a point in time: ISO 8601, `18:00`, `6 pm`, `tomorrow 18:00`, `2026-03-01 6 pm`, `friday`, `in 2h`; and in German: `morgen um 18 Uhr`, `1.3.`.
 * Without an offset it is local time in `zone`; undefined for anything else. A time of day, a day of the week or a day without a year is the next one, or with `when: 'past'` the last one.
 */
export function parseDate(typed: string, typing: Typing): number | undefined {
  const text = typed.trim().normalize('NFC').toLowerCase().replace(/\s+/g, ' ').replaceAll(', ', ' ').replace(ON, '')
  if (text === 'now' || text === 'jetzt') return typing.nowMs
  const span = parseDuration(text.replace(/^in /, ''))
  if (span !== undefined) return finite(typing.nowMs + span)
  const iso = ISO.exec(text)
  if (iso) return fromIso(iso, typing.zone)
  return finite(fromDay(text, typing))
}

const finite = (ms: number | undefined): number | undefined =>
  ms !== undefined && !Number.isNaN(new Date(ms).getTime()) ? ms : undefined

function fromIso([, year, month, day, hour = '0', minute = '0', second = '0', offset]: RegExpExecArray, zone: string) {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  if (h > 23 || m > 59 || s > 59) return undefined
  const wall = { year: Number(year), month: Number(month), day: Number(day), hour: h, minute: m, second: s }
  if (offset === undefined) return finite(fromWallTime(wall, zone))
  if (offset === 'z') return finite(asUtc(wall))
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? []
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const aheadMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return finite(asUtc(wall) - (sign === '-' ? -aheadMs : aheadMs))
}

type Day = Pick<WallTime, 'year' | 'month' | 'day'>
type Clock = Pick<WallTime, 'hour' | 'minute' | 'second'>

const midnight: Clock = { hour: 0, minute: 0, second: 0 }

/** `tomorrow`, `friday 18:00`, `18:00 on friday`, `2026-03-01 6 pm`, `6 pm`. */
function fromDay(text: string, typing: Typing): number | undefined {
  const today = wallTime(typing.nowMs, typing.zone)
  const isPast = typing.when === 'past'
  const words = text.split(' ')
  for (let count = 1; count <= Math.min(MOST_DAY_WORDS, words.length); count++) {
    for (const from of [0, words.length - count]) {
      const time = words.toSpliced(from, count).join(' ')
      const clock = time === '' ? midnight : readClock(time)
      if (!clock) continue
      const days = daysOf(words.slice(from, from + count).join(' '), {
        today,
        isPast,
        isShort: from === 0 && time !== '',
      })
      if (days.length > 0) return nearest(days, clock, typing)
    }
  }
  const clock = readClock(text)
  return clock && nearest([today, moved(today, isPast ? -1 : 1)], clock, typing)
}

/** The time of day on the first of several days that makes it the next moment, or the last one. */
function nearest(days: readonly Day[], clock: Clock, { nowMs, zone, when }: Typing): number | undefined {
  for (const day of days) {
    const ms = fromWallTime({ ...day, ...clock }, zone)
    if (days.length === 1 || (when === 'past' ? ms < nowMs : ms > nowMs)) return ms
  }
  return undefined
}

interface DayOptions {
  today: WallTime
  isPast: boolean
  /** Whether it may be a short name. */
  isShort: boolean
}

/** The days that a text may mean, nearest first. */
function daysOf(typed: string, { today, isPast, isShort }: DayOptions): Day[] {
  const text = typed.replace(ON, '')
  const [, year, month, day] = DAY.exec(text) ?? []
  if (year !== undefined) return [{ year: Number(year), month: Number(month), day: Number(day) }]
  const german = GERMAN_DAY.exec(text)
  if (german) return germanDays(german, today.year, isPast)
  const days = ahead.get(text)
  if (days !== undefined) return [moved(today, days)]
  const weekday = weekdays.get(text) ?? (isShort ? shortWeekdays.indexOf(text.replace(/\.$/, '')) : -1)
  return weekday < 0 ? [] : [moved(today, daysTo(weekday, today, isPast))]
}

/** Without a year, that day of each year; a year of two digits is within 50 years. */
function germanDays([, day, month, year, short]: RegExpExecArray, thisYear: number, isPast: boolean): Day[] {
  const of = (year: number): Day => ({ year, month: Number(month), day: Number(day) })
  if (year !== undefined) return [of(Number(year))]
  if (short !== undefined) {
    const first = thisYear - 50
    return [of(first + ((((Number(short) - first) % 100) + 100) % 100))]
  }
  return Array.from({ length: MOST_YEARS + 1 }, (_, years) => of(thisYear + (isPast ? -years : years)))
}

/** Never 0: on a Friday, `friday` is in a week, or was a week ago. */
function daysTo(weekday: number, today: WallTime, isPast: boolean): number {
  const now = new Date(asUtc(today)).getUTCDay()
  return isPast ? -(((now - weekday + 6) % 7) + 1) : ((weekday - now + 6) % 7) + 1
}

function moved(day: WallTime, days: number): WallTime {
  const date = new Date(asUtc({ ...day, hour: 0, minute: 0, second: 0 }))
  date.setUTCDate(date.getUTCDate() + days)
  return { ...day, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** A bare number is not a time of day: `18` may be anything. */
function readClock(typed: string): Clock | undefined {
  const text = typed
    .replace(/^(?:at|um) /, '')
    .replace(GERMAN_CLOCK, (_, hour, dotted?: string, after?: string) => `${hour}:${dotted ?? after ?? '00'}`)
  if (text === 'noon' || text === 'mittag') return { hour: 12, minute: 0, second: 0 }
  if (text === 'midnight' || text === 'mitternacht') return midnight
  const [, hours, minutes, seconds, half] = CLOCK.exec(text) ?? []
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined
  const [hour, minute, second] = [Number(hours), Number(minutes ?? 0), Number(seconds ?? 0)]
  if (minute > 59 || second > 59) return undefined
  if (half === undefined) return hour > 23 ? undefined : { hour, minute, second }
  if (hour < 1 || hour > 12) return undefined
  return { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute, second }
}
