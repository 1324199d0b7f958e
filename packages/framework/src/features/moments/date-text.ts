import { parseDuration } from '../../author/time/duration.ts'
import { asUtc, fromWallTime, type WallTime, wallTime } from '../../author/args/zone.ts'

// Words of both languages are always accepted: none of them means different days.
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const germanDays = ['sonntag', 'montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag']
const ahead = new Map(
  Object.entries({ today: 0, tomorrow: 1, yesterday: -1, heute: 0, morgen: 1, übermorgen: 2, gestern: -1 }),
)

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[t ]\s?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?\s?(z|[+-]\d{2}(?::?\d{2})?)?$/i
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
/** `1.3.2026`, `1.3.`: the next one. */
const GERMAN_DAY = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/
/** `18 Uhr`, `18.30 Uhr`. */
const GERMAN_CLOCK = /^(\d{1,2})(?:[.:](\d{2}))?\s?uhr$/
const CLOCK = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s?(?:([ap])\.?m\.?)?$/i

/**
 * Reads a point in time: ISO 8601, `18:00`, `6 pm`, `tomorrow 18:00`, `2026-03-01 6 pm`, `friday`, `in 2h`; and in German: `morgen um 18 Uhr`, `1.3.`.
 * Without an offset it is local time in `zone`; undefined for anything else. A past time of day means tomorrow, a day of the week the next one.
 */
export function parseDate(typed: string, nowMs: number, zone: string): number | undefined {
  const text = typed
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(?:on|am) /, '')
  if (text === 'now' || text === 'jetzt') return nowMs
  const span = parseDuration(text.replace(/^in /, ''))
  if (span !== undefined) return finite(nowMs + span)
  const iso = ISO.exec(text)
  if (iso) return fromIso(iso, zone)
  return finite(fromDay(text, nowMs, zone))
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

/** `tomorrow`, `friday 18:00`, `18:00 tomorrow`, `2026-03-01 6 pm`, `6 pm`. */
function fromDay(text: string, nowMs: number, zone: string): number | undefined {
  const today = wallTime(nowMs, zone)
  const words = text.split(' ')
  for (const at of [0, words.length - 1]) {
    const day = dayOf(words[at]!, today)
    if (day === undefined) continue
    const time = words.toSpliced(at, 1).join(' ')
    const clock = time === '' ? { hour: 0, minute: 0, second: 0 } : readClock(time)
    return clock && fromWallTime({ ...day, ...clock }, zone)
  }
  const clock = readClock(text)
  if (!clock) return undefined
  const ms = fromWallTime({ ...today, ...clock }, zone)
  return ms > nowMs ? ms : fromWallTime({ ...moved(today, 1), ...clock }, zone)
}

function dayOf(word: string, today: WallTime): Pick<WallTime, 'year' | 'month' | 'day'> | undefined {
  const [, year, month, day] = DAY.exec(word) ?? []
  if (year !== undefined) return { year: Number(year), month: Number(month), day: Number(day) }
  const german = GERMAN_DAY.exec(word)
  if (german) return germanDay(german, today)
  const days = daysAhead(word, today)
  return days === undefined ? undefined : moved(today, days)
}

/** Without a year, the next day of that name: today, or in up to four years. */
function germanDay([, day, month, year]: RegExpExecArray, today: WallTime) {
  const of = (year: number) => ({ year, month: Number(month), day: Number(day) })
  if (year !== undefined) return of(Number(year))
  const start = asUtc({ ...today, hour: 0, minute: 0, second: 0 })
  const isAhead = (one: number) => asUtc({ ...of(one), hour: 0, minute: 0, second: 0 }) >= start
  return of([0, 1, 2, 3, 4].map((years) => today.year + years).find(isAhead) ?? today.year)
}

function daysAhead(word: string, today: WallTime): number | undefined {
  const known = ahead.get(word)
  if (known !== undefined) return known
  const english = word.length < 3 ? -1 : days.findIndex((name) => name === word || name.slice(0, 3) === word)
  const day = english < 0 ? germanDays.indexOf(word) : english
  if (day < 0) return undefined
  const now = new Date(asUtc(today)).getUTCDay()
  return ((day - now + 6) % 7) + 1
}

function moved(day: WallTime, days: number): WallTime {
  const date = new Date(asUtc({ ...day, hour: 0, minute: 0, second: 0 }))
  date.setUTCDate(date.getUTCDate() + days)
  return { ...day, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** A bare number is not a time of day: `18` may be anything. */
function readClock(typed: string): Pick<WallTime, 'hour' | 'minute' | 'second'> | undefined {
  const text = typed.replace(/^(?:at|um) /, '').replace(GERMAN_CLOCK, (_, hour, minute = '00') => `${hour}:${minute}`)
  if (text === 'noon' || text === 'mittag') return { hour: 12, minute: 0, second: 0 }
  if (text === 'midnight' || text === 'mitternacht') return { hour: 0, minute: 0, second: 0 }
  const [, hours, minutes, seconds, half] = CLOCK.exec(text) ?? []
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined
  const [hour, minute, second] = [Number(hours), Number(minutes ?? 0), Number(seconds ?? 0)]
  if (minute > 59 || second > 59) return undefined
  if (half === undefined) return hour > 23 ? undefined : { hour, minute, second }
  if (hour < 1 || hour > 12) return undefined
  return { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute, second }
}
