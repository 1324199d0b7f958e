import { expect, test } from 'vitest'
import { host, HOUR, MINUTE } from './scheduler-host.test.fixture.ts'

test.each([
  ['once', false],
  ['all', false],
  ['once', true],
  ['all', true],
] as const)('a clock that is behind for a moment repeats no run; missed: %s, restart: %s', async (missed, restarts) => {
  const { clock, define, start, times } = host(Date.UTC(2026, 0, 1, 7, 30))
  const tasks = [define('hourly', { cron: '0 * * * *', missed })]
  let scheduler = await start(tasks)
  await clock.advance(2 * HOUR)
  expect(times()).toEqual(['2026-01-01T08:00:00.000Z', '2026-01-01T09:00:00.000Z'])
  clock.setMs = -100 * MINUTE
  if (restarts) {
    await scheduler.stop(0)
    scheduler = await start(tasks)
  }
  scheduler.wake()
  await clock.advance(MINUTE)
  clock.setMs = 0
  scheduler.wake()
  await clock.advance(HOUR)
  expect(times().slice(2)).toEqual(['2026-01-01T10:00:00.000Z'])
  await scheduler.stop(0)
  clock.setMs = 3 * HOUR
  await start(tasks)
  // Those are missed: they have not run before.
  const left = ['11', '12', '13'].map((hour) => `2026-01-01T${hour}:00:00.000Z`)
  expect(times().slice(3)).toEqual(missed === 'all' ? left : left.slice(-1))
})

test('a failed run with retry runs again after the clock was behind', async () => {
  const { clock, define, start, times } = host(Date.UTC(2026, 0, 1, 8, 30))
  const failures = [{ reason: 'no tea' }]
  const hourly = define('hourly', { cron: '0 * * * *', retry: true })
  const scheduler = await start([hourly], { fails: () => failures.pop() })
  await clock.advance(30 * MINUTE)
  expect(times()).toEqual(['2026-01-01T09:00:00.000Z'])
  clock.setMs = -100 * MINUTE
  scheduler.wake()
  await clock.advance(MINUTE)
  clock.setMs = 0
  scheduler.wake()
  await clock.advance(HOUR)
  expect(times().slice(1)).toEqual(['2026-01-01T09:00:00.000Z', '2026-01-01T10:00:00.000Z'])
})
