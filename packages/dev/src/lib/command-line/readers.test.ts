import { expect, test } from 'vitest'
import { readCount, readFile, readPort, readSchedule, readSeconds, readSince } from './readers.ts'

test('a time without an offset is in the zone of the computer, with and without a time of day', () => {
  const zone = process.env['TZ']
  try {
    process.env['TZ'] = 'Asia/Tokyo'
    expect(readSince('2026-01-31T08:00')).toBe(Date.UTC(2026, 0, 30, 23))
    expect(readSince('2026-01-31')).toBe(Date.UTC(2026, 0, 30, 15))
    expect(readSince('2026-01-31T08:00Z')).toBe(Date.UTC(2026, 0, 31, 8))
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})

test.each(['2026-02-30', '2026-02-30T08:00', '2026-13-01', 'yesterday'])('%s is not a time', (text) => {
  expect(() => readSince(text)).toThrow('must be a duration')
})

test('numbers are digits', () => {
  expect([readPort('0'), readPort('65535'), readCount('12')]).toEqual([0, 65_535, 12])
  for (const text of ['', ' ', '0x10', '1e3', '65536']) expect(() => readPort(text), text).toThrow('must be a port')
  for (const text of ['', '0', '0x10', '1e3', '-1'])
    expect(() => readCount(text), text).toThrow('must be a whole number')
  expect([readSeconds('0'), readSeconds('1.5'), readSeconds('3600')]).toEqual([0, 1.5, 3600])
  for (const text of ['', ' ', '0x10', '1e3', '-1', '3601'])
    expect(() => readSeconds(text), text).toThrow('must be a number of seconds, up to 3600')
})

test('functions are scheduled at least once within the time for which the service keeps events', () => {
  expect([readSchedule('5m'), readSchedule('1d')]).toEqual([300_000, 86_400_000])
  expect(() => readSchedule('0s')).toThrow('must be a duration')
  for (const text of ['25h', '2d']) expect(() => readSchedule(text), text).toThrow('must be at most 1d')
})

test('a file of the bot has the same name however its path is typed', () => {
  for (const typed of ['commands/ping.ts', './commands/ping.ts', 'commands\\ping.ts', '.\\commands\\ping.ts'])
    expect(readFile(typed)).toBe('commands/ping.ts')
})
