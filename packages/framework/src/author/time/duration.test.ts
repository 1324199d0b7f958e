import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Duration, durationMs, durationText, durationWord, parseDuration } from './duration.ts'

test.each([
  ['10s', 10_000],
  ['1m 30s', 90_000],
  ['1m30s', 90_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['1w', 604_800_000],
  ['250ms', 250],
  ['1.5h', 5_400_000],
  ['1,5 h', 5_400_000],
  ['0,125 s', 125],
  ['2 Days 3 hours', 183_600_000],
  ['0s', 0],
])('reads %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
  expect(durationMs(text, 'x')).toBe(ms)
})

test.each([
  '',
  '10',
  's',
  '-1s',
  '1m 1m',
  '1m 2min',
  '5 parsecs',
  '1h,',
  '1e3s',
  '1,500 ms',
  'constructor',
  '5constructor',
  '9'.repeat(40) + 's',
])('rejects %j', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

test('accepts milliseconds from authors, and reports an invalid duration with its place', () => {
  expect(durationMs(1500, 'x')).toBe(1500)
  expect([durationMs(Number.MAX_SAFE_INTEGER, 'x'), durationMs('9999999w', 'x')]).toEqual([10 ** 14, 10 ** 14])
  for (const wrong of [-1, NaN, Infinity, '10', {}, null, undefined])
    expect(() => durationMs(wrong, 'tasks/daily.ts: every')).toThrow(
      expect.objectContaining({
        code: 'ERR_DEFINITION',
        message:
          'tasks/daily.ts: every must be a duration such as 10s, 1m 30s, 2h, 1d or 1w, or a number of milliseconds',
      }),
    )
  expect(() => durationMs('x', 'bot.config.ts: a', 'ERR_CONFIG')).toThrow(
    expect.objectContaining({ code: 'ERR_CONFIG' }),
  )
})

test.each([
  [0, '0 ms'],
  [999.2, '1000 ms'],
  [1001, '2 s'],
  [59_999, '1 min'],
  [90_000, '1 min 30 s'],
  [3_600_000, '1 h'],
  [3_601_000, '1 h 1 min'],
  [86_399_000, '1 day'],
  [86_400_000 * 9 + 1, '9 days 1 h'],
])('shows %d ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('a shown duration reads back, never shorter, with at most two units', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => {
      const text = durationText(ms)
      expect(text.split(' ').length).toBeLessThanOrEqual(4)
      expect(parseDuration(text)).toBeGreaterThanOrEqual(ms)
      expect(parseDuration(durationWord(ms))).toBe(ms)
    }),
  )
})

test('an unknown unit does not compile', () => {
  const fine: Duration[] = ['10s', '1m 30s', 5000]
  // @ts-expect-error Type '"10 secs"' is not assignable to type 'Duration'.
  fine.push('10 secs')
  expect(fine).toHaveLength(4)
})
