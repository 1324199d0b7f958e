import type { Duration } from '@botwright/framework'
import { durationMs } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'

/** How far to advance the clock: `'2h'`, `{ minutes: 16 }`, or milliseconds. */
export type Span = Duration | { ms?: number; seconds?: number; minutes?: number; hours?: number; days?: number }

const units = { ms: 1, seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/** Milliseconds. Throws `ERR_INVALID_REQUEST` unless it is a time ahead. */
export function spanMs(span: Span): number {
  if (typeof span !== 'object') return durationMs(span, 'clock: a time in the future', 'ERR_INVALID_REQUEST')
  let sum = 0
  for (const [unit, count] of Object.entries(span)) {
    const ms = (units as Record<string, number>)[unit]
    if (ms === undefined || !Number.isFinite(count) || count < 0)
      throw new BotwrightError(
        'ERR_INVALID_REQUEST',
        `clock: "${unit}: ${count}" is not in the future; write '2h', { minutes: 16 } or milliseconds`,
      )
    sum += ms * count
  }
  return sum
}
