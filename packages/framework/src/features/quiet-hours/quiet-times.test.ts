import { expect, test } from 'vitest'
import { QuietTimes } from './quiet-times.ts'

const usual = { from: '22:00', until: '07:00', timezone: 'Europe/Berlin' }
const at = (time: string) => Date.parse(time)
const end = (times: QuietTimes, time: string, server = 'a') => {
  const ms = times.endMs(server, at(time))
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

test.each([
  ['a second before', '2026-01-10T20:59:59Z', undefined],
  ['at the beginning', '2026-01-10T21:00:00Z', '2026-01-11T06:00:00.000Z'],
  ['in the night', '2026-01-11T03:00:00Z', '2026-01-11T06:00:00.000Z'],
  ['a millisecond before the end', '2026-01-11T05:59:59.999Z', '2026-01-11T06:00:00.000Z'],
  ['at the end', '2026-01-11T06:00:00Z', undefined],
  ['in the night that skips an hour', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['in the night that repeats an hour', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00.000Z'],
])('quiet hours over midnight, in a time zone: %s', (_, time, ends) => {
  const times = new QuietTimes({ quietHours: usual })
  expect(end(times, time)).toBe(ends)
  expect(times.isQuiet(at(time))).toBe(ends !== undefined)
})

test('servers have hours of their own, in the time zone of all without one', () => {
  const id = (letter: string) => `${letter}0000000-0000-4000-8000-000000000000`
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(id) as [string, string, string, string]
  const noon = { from: '12:00', until: '14:00' }
  const servers = { [a.toUpperCase()]: false, [b]: noon, [c]: { ...usual, timezone: 'Asia/Tokyo' } } as const
  const times = new QuietTimes({ quietHours: { ...usual, servers } })
  expect(end(times, '2026-01-10T22:00:00Z', a)).toBeUndefined()
  expect(end(times, '2026-01-10T12:30:00Z', b.toUpperCase())).toBe('2026-01-10T13:00:00.000Z')
  expect(end(times, '2026-01-10T14:00:00Z', c)).toBe('2026-01-10T22:00:00.000Z')
  expect(end(times, '2026-01-10T22:00:00Z', d)).toBe('2026-01-11T06:00:00.000Z')
})

test('a server with a time zone alone has the hours of all there', () => {
  const times = new QuietTimes({ quietHours: { ...usual, servers: { a: { timezone: 'Asia/Tokyo' } } } })
  expect(end(times, '2026-01-10T14:00:00Z')).toBe('2026-01-10T22:00:00.000Z')
  expect(end(times, '2026-01-11T03:00:00Z')).toBeUndefined()
})

test('the time zone may be in a variable', () => {
  const quietHours = { ...usual, timezone: { env: 'TEAM_ZONE' } }
  expect(end(new QuietTimes({ quietHours, env: { TEAM_ZONE: 'UTC' } }), '2026-01-10T23:00:00Z')).toBe(
    '2026-01-11T07:00:00.000Z',
  )
  const wrong = 'bot.config.ts: quietHours: timezone: there is no variable TEAM_ZONE'
  expect(() => new QuietTimes({ quietHours })).toThrow(wrong)
})

test('without hours, no server is quiet', () => {
  expect(new QuietTimes({ quietHours: {} }).isQuiet(0)).toBe(false)
})
