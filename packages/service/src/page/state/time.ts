import { timeMs } from '@botwright/protocol/typed-text'
import { serviceNow } from './service-clock.ts'

// The same 24 hours in every locale: a suffix such as "PM" does not fit beside a grouped message.
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', hourCycle: 'h23' })
const seconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })

/** Formats a time; an invalid time from a bot is shown unchanged. */
const format = (formatter: Intl.DateTimeFormat, iso: string): string => {
  const date = new Date(timeMs(iso).floor)
  return Number.isNaN(date.getTime()) ? iso : formatter.format(date)
}

/** 14:05 */
export const shortTime = (iso: string): string => format(clock, iso)
/** 14:05:09 */
export const exactTime = (iso: string): string => format(seconds, iso)
/** 21 Nov 2026 */
export const shortDay = (iso: string): string => format(day, iso)
/** 21 Nov 2026, 14:05 */
export const longTime = (iso: string): string => format(full, iso)
/** Saturday 21 November */
export const dayName = (iso: string): string => {
  const today = new Date(serviceNow())
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  if (sameDay(iso, today.toISOString())) return 'Today'
  return sameDay(iso, yesterday.toISOString()) ? 'Yesterday' : format(weekday, iso)
}
export const sameDay = (a: string, b: string): boolean => new Date(a).toDateString() === new Date(b).toDateString()
