import { expect, test } from 'vitest'
import { parseDate } from './date-text.ts'
import { list, rest, text } from '../arguments/kinds.ts'
import { date, duration } from './moments.ts'
import { read } from '../../author/args/place.test.fixture.ts'

// In these tests it is Thursday, 1 January 2026, 00:00 UTC.
const at = (typed: string, zone: string, now = '2026-01-01T00:00:00Z', when?: 'past') => {
  const ms = parseDate(typed, { nowMs: Date.parse(now), zone, when })
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

test.each([
  ['10m', { a: duration() }, { a: 600_000 }],
  ['1 h 30 min eggs', { a: duration(), b: rest() }, { a: 5_400_000, b: 'eggs' }],
  ['2h 5 apples', { a: duration(), b: rest() }, { a: 7_200_000, b: '5 apples' }],
  ['2h "30m"', { a: duration(), b: rest() }, { a: 7_200_000, b: '30m' }],
  ['2h 30m 5m', { a: duration(), b: rest() }, { a: 9_000_000, b: '5m' }],
  ['2h --b=30m', { a: duration(), b: rest() }, { a: 7_200_000, b: '30m' }],
  ['2h 3m', { a: duration(), b: text() }, { a: 7_200_000, b: '3m' }],
  ['', { a: duration().default('1m 30s') }, { a: 90_000 }],
  ['--a "1m 30s"', { a: duration().flag() }, { a: 90_000 }],
  ['1m 2m', { a: list(duration()) }, { a: [60_000, 120_000] }],
  ['tomorrow 18:00 buy milk', { a: date(), b: rest() }, { a: new Date('2026-01-02T18:00Z'), b: 'buy milk' }],
  ['2026-03-01 6:00 pm call mum', { a: date(), b: rest() }, { a: new Date('2026-03-01T18:00Z'), b: 'call mum' }],
  ['in 2h 30m "x"', { a: date(), b: text() }, { a: new Date('2026-01-01T02:30Z'), b: 'x' }],
  ['', { a: date({ zone: 'Asia/Tokyo' }).default('tomorrow 18:00') }, { a: new Date('2026-01-02T09:00Z') }],
])('reads %j', (typed, shape, args) => {
  expect(read(shape, typed)).toEqual(args)
})

test.each([
  [{ a: duration({ max: '1h' }) }, '2h', 'a must be a duration of at most 1 h\nUsage: /x <a>\nExample: /x 10m'],
  [
    { a: duration({ min: '1h' }).default('1d') },
    'soon',
    'a must be a duration of at least 1 h, such as 10s, 1m 30s, 2h, 1d or 1w\nUsage: /x [a=1d]\nExample: /x 1h',
  ],
  [
    { a: date({ when: 'future' }) },
    '2020-01-01',
    'a must be a date or time in the future\nUsage: /x <a>\nExample: /x tomorrow 18:00',
  ],
  [
    { a: date().default('in 2h') },
    'soon',
    'a must be a date or time, such as 2026-03-01 18:00, tomorrow 18:00 or in 2h\nUsage: /x [a="in 2h"]\nExample: /x tomorrow 18:00',
  ],
  [
    { a: date(), b: rest() },
    'tomorrow 18:00',
    'b is missing: text\nUsage: /x <a> <b...>\nExample: /x tomorrow 18:00 some more words',
  ],
  [{ a: duration(), b: rest() }, '2h 30m', 'b is missing: text\nUsage: /x <a> <b...>\nExample: /x 10m some more words'],
])('%#: rejects with a clear error', (shape, typed, message) => {
  expect(() => read(shape, typed)).toThrow(expect.objectContaining({ code: 'ERR_ARGS', message }))
})

test.each([
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01 18:00', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01T18:00:05.123Z', '2026-03-01T18:00:05.000Z'],
  ['2026-03-01T18:00+02:00', '2026-03-01T16:00:00.000Z'],
  ['2026-03-01 18:00 -0330', '2026-03-01T21:30:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-03-01 6:00 pm', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01 6pm', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01 at 18:00', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01 noon', '2026-03-01T12:00:00.000Z'],
  ['at 18:00 2026-03-01', '2026-03-01T18:00:00.000Z'],
  ['in 2 days', '2026-01-03T00:00:00.000Z'],
  ['2h', '2026-01-01T02:00:00.000Z'],
  ['now', '2026-01-01T00:00:00.000Z'],
  ['18:00', '2026-01-01T18:00:00.000Z'],
  ['6 pm', '2026-01-01T18:00:00.000Z'],
  ['tomorrow at noon', '2026-01-02T12:00:00.000Z'],
  ['12:30am', '2026-01-01T00:30:00.000Z'],
  ['00:00', '2026-01-02T00:00:00.000Z'],
  ['today 6pm', '2026-01-01T18:00:00.000Z'],
  ['Tomorrow', '2026-01-02T00:00:00.000Z'],
  ['18:00 tomorrow', '2026-01-02T18:00:00.000Z'],
  ['tomorrow noon', '2026-01-02T12:00:00.000Z'],
  ['yesterday 18:00', '2025-12-31T18:00:00.000Z'],
  ['friday 6 p.m.', '2026-01-02T18:00:00.000Z'],
  ['friday at 7:15', '2026-01-02T07:15:00.000Z'],
  ['thu', '2026-01-08T00:00:00.000Z'],
  ['on friday at 7:15', '2026-01-02T07:15:00.000Z'],
  ['jetzt', '2026-01-01T00:00:00.000Z'],
  ['heute 18 Uhr', '2026-01-01T18:00:00.000Z'],
  ['morgen um 18 Uhr', '2026-01-02T18:00:00.000Z'],
  ['Übermorgen um 18.30 Uhr', '2026-01-03T18:30:00.000Z'],
  ['u\u0308bermorgen', '2026-01-03T00:00:00.000Z'],
  ['gestern Mittag', '2025-12-31T12:00:00.000Z'],
  ['am Freitag um 7:15', '2026-01-02T07:15:00.000Z'],
  ['18 Uhr morgen', '2026-01-02T18:00:00.000Z'],
  ['in 2 Stunden', '2026-01-01T02:00:00.000Z'],
  ['in 1 Std. 30 Min.', '2026-01-01T01:30:00.000Z'],
  ['in 3 Tagen', '2026-01-04T00:00:00.000Z'],
  ['1.3.2026', '2026-03-01T00:00:00.000Z'],
  ['01.03.2026 18:00', '2026-03-01T18:00:00.000Z'],
  ['am 1.3. um 18 Uhr', '2026-03-01T18:00:00.000Z'],
  ['1.1.', '2027-01-01T00:00:00.000Z'],
  ['29.2.', '2028-02-29T00:00:00.000Z'],
  ['18 Uhr am Freitag', '2026-01-02T18:00:00.000Z'],
  ['um 18 Uhr am Freitag', '2026-01-02T18:00:00.000Z'],
  ['am Freitag, 18:30', '2026-01-02T18:30:00.000Z'],
  ['6 pm on friday', '2026-01-02T18:00:00.000Z'],
  ['on 2026-03-01T18:00Z', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01, 18:00', '2026-03-01T18:00:00.000Z'],
  ['Sonnabend', '2026-01-03T00:00:00.000Z'],
  ['18 Uhr 30', '2026-01-01T18:30:00.000Z'],
  ['um 18 Uhr 30 am 1. 3. 2026', '2026-03-01T18:30:00.000Z'],
  ['1.3.26', '2026-03-01T00:00:00.000Z'],
  ['1.3.85 18:00', '1985-03-01T18:00:00.000Z'],
  ['1.3.75', '2075-03-01T00:00:00.000Z'],
  ['1.3.76', '1976-03-01T00:00:00.000Z'],
  ['1. 3. 2026', '2026-03-01T00:00:00.000Z'],
  ['am 1. 3. um 18 Uhr', '2026-03-01T18:00:00.000Z'],
  ['1.3. 18.30 Uhr', '2026-03-01T18:30:00.000Z'],
  ['Fr 18:30', '2026-01-02T18:30:00.000Z'],
  ['Do. um 7 Uhr', '2026-01-08T07:00:00.000Z'],
  // These are words of other sentences as well: "6 pm do the dishes".
  ['do', undefined],
  ['6 pm do', undefined],
  ['18 Uhr so', undefined],
  // In the morning, not tomorrow.
  ['am Morgen', undefined],
  ['6 Uhr am Morgen', undefined],
  ['am Morgen um 6 Uhr', undefined],
  ['18.30 Uhr 15', undefined],
  ['18 Uhr 60', undefined],
  ['18 Uhr 5', undefined],
  ['1.3. 26', undefined],
  [`${'1. '.repeat(2000)}`, undefined],
  ['31.2.', undefined],
  ['1.13.2026', undefined],
  ['25 Uhr', undefined],
  ['2026-02-30', undefined],
  ['2026-13-01', undefined],
  ['2026-02-30 6 pm', undefined],
  ['2026-03-01 2026-03-02', undefined],
  ['2026-03-01 18:00+25:00', undefined],
  ['2026-03-01 18:00+02:60', undefined],
  ['2026-03-01 24:00', undefined],
  ['18', undefined],
  ['tomorrow 18', undefined],
  ['13 pm', undefined],
  ['18:60', undefined],
  ['soon', undefined],
  ['', undefined],
  ['in', undefined],
  [`${'9'.repeat(12)}w`, undefined],
])('%j is %s', (typed, time) => {
  expect(at(typed, 'UTC')).toBe(time)
})

test.each([
  // Each is the next one, also on the day itself.
  ['1.3.', '2027-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['1.3. 18:00', '2027-03-01T18:00:00.000Z', '2026-03-01T18:00:00.000Z'],
  ['1.3. 20:00', '2026-03-01T20:00:00.000Z', '2025-03-01T20:00:00.000Z'],
  ['2.3.', '2026-03-02T00:00:00.000Z', '2025-03-02T00:00:00.000Z'],
  ['28.2.', '2027-02-28T00:00:00.000Z', '2026-02-28T00:00:00.000Z'],
  ['29.2.', '2028-02-29T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
  ['18:00', '2026-03-02T18:00:00.000Z', '2026-03-01T18:00:00.000Z'],
  ['20:00', '2026-03-01T20:00:00.000Z', '2026-02-28T20:00:00.000Z'],
  // It is Sunday.
  ['sunday 18:00', '2026-03-08T18:00:00.000Z', '2026-02-22T18:00:00.000Z'],
  ['saturday 18:00', '2026-03-07T18:00:00.000Z', '2026-02-28T18:00:00.000Z'],
  ['yesterday', '2026-02-28T00:00:00.000Z', '2026-02-28T00:00:00.000Z'],
])('on 1 March at 19:30, %j is %s next and %s last', (typed, next, last) => {
  expect(at(typed, 'UTC', '2026-03-01T19:30:00Z')).toBe(next)
  expect(at(typed, 'UTC', '2026-03-01T19:30:00Z', 'past')).toBe(last)
})

test('29 February may be 8 years away', () => {
  expect(at('29.2.', 'UTC', '2096-03-01T00:00:00Z')).toBe('2104-02-29T00:00:00.000Z')
  expect(at('29.2.', 'UTC', '2104-01-01T00:00:00Z', 'past')).toBe('2096-02-29T00:00:00.000Z')
})

test('a time without an offset is in the zone, also when daylight saving time begins and ends', () => {
  expect(at('tomorrow 18:00', 'Europe/Berlin')).toBe('2026-01-02T17:00:00.000Z')
  // It is still Wednesday there.
  expect(at('tomorrow', 'America/New_York')).toBe('2026-01-01T05:00:00.000Z')
  expect(at('2026-07-01 12:00', 'Europe/Berlin')).toBe('2026-07-01T10:00:00.000Z')
  // 02:30 does not exist on 29 March, and occurs twice on 25 October.
  expect(at('2026-03-29 02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
  expect(at('2026-10-25 02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
  expect(at('2026-10-25 03:30', 'Europe/Berlin')).toBe('2026-10-25T02:30:00.000Z')
  expect(at('2026-06-01 12:00', 'Asia/Kathmandu')).toBe('2026-06-01T06:15:00.000Z')
})

test('the zone may depend on the place', () => {
  const when = date({ zone: ({ user }) => (user.name === 'ann' ? 'Asia/Tokyo' : 'UTC') })
  expect(read({ when }, '2026-01-01 09:00')).toEqual({ when: new Date('2026-01-01T00:00Z') })
})

test('the zone may be looked up, while fewer words are still tried', async () => {
  const when = date({ zone: async ({ user }) => (user.name === 'ann' ? 'Asia/Tokyo' : 'UTC'), when: 'future' })
  expect(await read({ when, what: rest() }, '2026-01-01 12:00 buy milk')).toEqual({
    when: new Date('2026-01-01T03:00Z'),
    what: 'buy milk',
  })
  await expect(read({ when }, '2026-01-01 08:00')).rejects.toMatchObject({
    message: expect.stringMatching(/^when must be a date or time in the future\n/) as string,
  })
  expect(() => read({ when }, 'soon')).toThrow('when must be a date or time in the future, such as 2026-03-01 18:00')
})

test('the zone is looked up once, and only for a date', async () => {
  let lookups = 0
  const zone = () => {
    lookups++
    return Promise.resolve('UTC')
  }
  const when = date({ zone })
  expect(await read({ when, what: rest() }, '2026-01-01 12:00 buy milk and bread')).toEqual({
    when: new Date('2026-01-01T12:00Z'),
    what: 'buy milk and bread',
  })
  expect(lookups).toBe(1)
  expect(() => read({ when, what: rest() }, 'buy milk and bread')).toThrow('when must be a date or time')
  expect(lookups).toBe(1)
})

test('a date in the past is the last one', () => {
  expect(read({ when: date({ when: 'past' }), what: text() }, '24.12. "met Ann"')).toEqual({
    when: new Date('2025-12-24T00:00Z'),
    what: 'met Ann',
  })
  expect(read({ when: date({ when: 'past' }).default('friday 18:00') }, '')).toEqual({
    when: new Date('2025-12-26T18:00Z'),
  })
})

test('rejects an invalid zone or default at load time', () => {
  expect(() => date({ zone: 'Mars/Olympus' })).toThrow('there is no time zone "Mars/Olympus"')
  expect(() => date().default('some day')).toThrow('the default of a date() is not a date: "some day"')
  // @ts-expect-error Argument of type '"soon"' is not assignable to parameter of type 'Duration'.
  expect(() => duration().default('soon')).toThrow('the default of a duration() must be a duration such as 10s')
})
