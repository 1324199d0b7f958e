import type { ErrorCode } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { isAmbiguous } from '@botwright/protocol/typed-text'
import { inEnglish, oneOfWords, phrase } from '../texts/phrase.ts'
import type { Words } from '../texts/words.ts'

type Part = `${number}${'ms' | 's' | 'm' | 'h' | 'd' | 'w'}`

/** A length of time: `'10s'`, `'1m 30s'`, `'2h'`, `'1d'`, `'1w'`, or a number of milliseconds. */
export type Duration = number | Part | `${Part} ${Part}`

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** Longer durations mean for ever: their end would be no date, and have too many digits for the keys of stored times. */
const LONGEST_MS = 10 ** 14

/** All words for a unit, in English and German; users type the longer ones. */
const units: Readonly<Record<string, number>> = {
  ...named(1, 'ms', 'millisecond', 'milliseconds'),
  ...named(SECOND_MS, 's', 'sec', 'secs', 'second', 'seconds', 'sek', 'sekunde', 'sekunden'),
  ...named(MINUTE_MS, 'm', 'min', 'mins', 'minute', 'minutes', 'minuten'),
  ...named(HOUR_MS, 'h', 'hr', 'hrs', 'hour', 'hours', 'std', 'stunde', 'stunden'),
  ...named(DAY_MS, 'd', 'day', 'days', 'tag', 'tage', 'tagen'),
  ...named(WEEK_MS, 'w', 'week', 'weeks', 'woche', 'wochen'),
}

function named(ms: number, ...names: string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, ms]))
}

/** A description of the format. */
export const durationExampleWords = oneOfWords(['10s', '1m 30s', '2h', '1d', '1w'])
/** The same for developers, in English. */
export const durationExamples = inEnglish(durationExampleWords)

/** Parses a text such as `10s`, `1h30m` or `2 days` into milliseconds; undefined if invalid. Each unit may occur once. */
export function parseDuration(text: string): number | undefined {
  const part = /\s*(\d{1,12}(?:[.,]\d{1,6})?)\s{0,3}([a-z]{1,12})\.?/iy
  const trimmed = text.trim()
  const seen = new Set<number>()
  let ms = 0
  while (part.lastIndex < trimmed.length) {
    const [, amount = '', name = ''] = part.exec(trimmed) ?? []
    const unit = Object.hasOwn(units, name.toLowerCase()) ? units[name.toLowerCase()] : undefined
    if (unit === undefined || seen.has(unit) || isAmbiguous(amount)) return undefined
    seen.add(unit)
    ms += Number(amount.replace(',', '.')) * unit
  }
  const whole = Math.round(ms)
  return seen.size > 0 && Number.isSafeInteger(whole) ? whole : undefined
}

/** Parses an author's duration. Throws with `code`, naming the file and the field: `commands/roll.ts: cooldown must be …`. */
export function durationMs(value: unknown, where: string, code: ErrorCode = 'ERR_DEFINITION'): number {
  const given = typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
  const ms = typeof value === 'string' ? parseDuration(value) : given
  if (ms !== undefined) return Math.min(ms, LONGEST_MS)
  throw new BotwrightError(code, `${where} must be a duration such as ${durationExamples}, or a number of milliseconds`)
}

const shownUnits = [
  [DAY_MS, 'duration.days'],
  [HOUR_MS, 'duration.hours'],
  [MINUTE_MS, 'duration.minutes'],
  [SECOND_MS, 'duration.seconds'],
] as const

/** A duration in words, in its two largest units: `1 min 30 s`, `2 days 3 h`. Rounded up, so that users do not return too early. */
export const durationText = (ms: number): string => inEnglish(durationWords(ms))

/** The same in the language of the reader. */
export function durationWords(ms: number): Words {
  if (ms < SECOND_MS) return phrase('duration.milliseconds', { count: Math.ceil(Math.max(ms, 0)) })
  // Rounding up may fill the next larger unit, so the units are chosen by the rounded value.
  let shown = Math.ceil(ms / SECOND_MS) * SECOND_MS
  for (const smallest of [MINUTE_MS, HOUR_MS]) {
    if (shown >= smallest * (smallest === MINUTE_MS ? 60 : 24)) shown = Math.ceil(shown / smallest) * smallest
  }
  const parts: Words[] = []
  for (const [unit, key] of shownUnits) {
    const count = Math.floor(shown / unit)
    shown -= count * unit
    if (count > 0) parts.push(...(parts.length > 0 ? [' '] : []), phrase(key, { count }))
  }
  return parts
}

const typedUnits: readonly (readonly [number, string])[] = [
  [WEEK_MS, 'w'],
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'm'],
  [SECOND_MS, 's'],
  [1, 'ms'],
]

/** A duration as a user would type it, exactly and in one word: `1m30s`. `parseDuration` reads it back. */
export function durationWord(ms: number): string {
  let left = Math.round(ms)
  let word = ''
  for (const [unit, name] of typedUnits) {
    const count = Math.floor(left / unit)
    left -= count * unit
    if (count > 0) word += `${count}${name}`
  }
  return word === '' ? '0s' : word
}
