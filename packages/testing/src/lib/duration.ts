import { BotwrightError } from '@botwright/protocol/facts'

/** How far time moves: milliseconds, or `{ minutes: 16 }`. */
export type Span = number | { ms?: number; seconds?: number; minutes?: number; hours?: number; days?: number }

const units = { ms: 1, seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/** Milliseconds. Throws `ERR_INVALID_REQUEST` for what is no time ahead. */
export function spanMs(span: Span): number {
  const parts = typeof span === 'number' ? { ms: span } : span
  let sum = 0
  for (const [unit, count] of Object.entries(parts)) {
    const ms = (units as Record<string, number>)[unit]
    if (ms === undefined || !Number.isFinite(count) || count < 0)
      throw new BotwrightError(
        'ERR_INVALID_REQUEST',
        `clock: "${unit}: ${count}" is no time to come; give milliseconds, or as in { minutes: 16 }`,
      )
    sum += ms * count
  }
  return sum
}
