import type { Duration } from '@botwright/framework'
import { durationMs } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'

/** How far to advance the clock: `'2h'`, `{ minutes: 16 }`, or milliseconds. */
export type Span = Duration | { ms?: number; seconds?: number; minutes?: number; hours?: number; days?: number }

const units = new Map([
  ['ms', 1],
  ['seconds', 1000],
  ['minutes', 60_000],
  ['hours', 3_600_000],
  ['days', 86_400_000],
])

/** Milliseconds. Throws `ERR_INVALID_REQUEST` unless it is a time ahead. */
export function spanMs(span: Span): number {
  if (typeof span !== 'object' || span === null)
    return durationMs(span, 'clock: a time in the future', 'ERR_INVALID_REQUEST')
  const counts = Object.entries(span)
  if (counts.length === 0)
    throw new BotwrightError(
      'ERR_INVALID_REQUEST',
      `clock: the time names no unit; write { minutes: 16 }, with one or more of ${[...units.keys()].join(', ')}`,
    )
  let sum = 0
  for (const [unit, count] of counts) {
    const ms = units.get(unit)
    if (ms === undefined || !Number.isFinite(count) || count < 0)
      throw new BotwrightError(
        'ERR_INVALID_REQUEST',
        `clock: "${unit}: ${count}" is not in the future; write '2h', { minutes: 16 } or milliseconds`,
      )
    sum += ms * count
  }
  return sum
}
