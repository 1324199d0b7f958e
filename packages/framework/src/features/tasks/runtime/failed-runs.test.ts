import { describe, expect, test } from 'vitest'
import { addTimer, cancelTimer } from '../stored-timers.ts'
import { DAY, host, HOUR, MINUTE } from './scheduler-host.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/large' } as const

describe('a recurring task', () => {
  test('a failed run with retry: true runs again after growing waits, and is then set aside', async () => {
    const { clock, store, define, start, runs, lines } = host()
    await start([define('daily', { cron: '0 9 * * *', retry: true })], { fails: () => ({ reason: 'no tea' }) })
    await clock.advance(10 * HOUR)
    const first = Date.UTC(2026, 0, 1, 9)
    expect(runs.map(({ again, at, isLast }) => [at - first, again, isLast === true])).toEqual([
      [0, false, false],
      [10_000, true, false],
      [70_000, true, false],
      [670_000, true, true],
    ])
    expect(lines).toEqual([
      'tasks/daily.ts: its run of 2026-01-01T09:00:00.000Z failed and runs again in 10 s',
      'tasks/daily.ts: its run of 2026-01-01T09:00:00.000Z failed and runs again in 1 min',
      'tasks/daily.ts: its run of 2026-01-01T09:00:00.000Z failed and runs again in 10 min',
      'tasks/daily.ts: its run of 2026-01-01T09:00:00.000Z is set aside after 4 attempts: no tea',
    ])
    expect(await store.list('task:aside:')).toHaveLength(1)
    await clock.advance(DAY)
    expect(runs[4]).toMatchObject({ again: false, scheduledAtMs: first + DAY })
  })

  test.each([
    [{ errors: 5, waitsMs: [20_000] }, [0, 20, 40, 60, 80, 100]],
    [{ errors: 3, waitsMs: [5000, 30_000] }, [0, 5, 35, 65]],
    [{ errors: 1, waitsMs: [5000, 30_000] }, [0, 5]],
  ])('a failed run with the policy %o runs again after its waits', async (retry, seconds) => {
    const { clock, store, define, start, runs, lines } = host()
    await start([define('daily', { cron: '0 9 * * *', retry })], { fails: () => ({ reason: 'no tea' }) })
    await clock.advance(10 * HOUR)
    const first = Date.UTC(2026, 0, 1, 9)
    expect(runs.map(({ at }) => (at - first) / 1000)).toEqual(seconds)
    expect(runs.map(({ isLast }) => isLast === true)).toEqual(seconds.map((_, i) => i === seconds.length - 1))
    expect(lines.at(-1)).toContain(`is set aside after ${seconds.length} attempts: no tea`)
    expect(await store.list('task:aside:')).toHaveLength(1)
  })

  test('interruptions count as errors', async () => {
    const { clock, store, define, start, runs } = host()
    const daily = define('daily', { cron: '0 9 * * *', retry: { errors: 1, waitsMs: [5000] } })
    await start([daily], { slow: true })
    await clock.advance(9 * HOUR + 1000)
    await start([daily], { slow: true })
    await clock.advance(1000)
    await start([daily])
    await clock.advance(1000)
    expect(runs.map(({ again }) => again)).toEqual([false, true])
    expect(await store.list('task:aside:')).toHaveLength(1)
  })

  test('a failed run without retry: true does not run again', async () => {
    const { clock, define, start, runs } = host()
    await start([define('daily', { cron: '0 9 * * *' })], { fails: () => ({ reason: 'no tea' }) })
    await clock.advance(20 * HOUR)
    expect(runs).toHaveLength(1)
  })

  test.each([
    ['once', ['00:01', '00:01', '00:02', '00:02']],
    ['all', ['00:01', '00:01', '00:01', '00:02']],
  ] as const)('the next time of the schedule ends the wait of a failed run; missed: %s', async (missed, expected) => {
    const { clock, define, start, times } = host()
    let left = missed === 'all' ? 2 : 3
    const fails = () => (left-- > 0 ? { reason: 'no tea' } : undefined)
    await start([define('often', { everyMs: MINUTE, missed, retry: true })], { fails })
    await clock.advance(3 * MINUTE + 1000)
    expect(
      times()
        .slice(0, 4)
        .map((time) => time.slice(11, 16)),
    ).toEqual(expected)
  })

  test('a failed run waits for its next attempt across a restart, and a run interrupted four times is set aside', async () => {
    const { clock, store, define, start, runs, lines } = host()
    const daily = define('daily', { cron: '0 9 * * *', retry: true })
    const first = await start([daily], { fails: () => ({ reason: 'no tea' }) })
    await clock.advance(9 * HOUR + 1000)
    await first.stop(0)
    for (let n = 0; n < 3; n++) {
      await start([daily], { slow: true })
      await clock.advance(11_000)
    }
    expect(runs.map(({ again }) => again)).toEqual([false, true, true, true])
    await start([daily])
    await clock.advance(1000)
    expect(runs).toHaveLength(4)
    expect(lines.at(-1)).toMatch(/is set aside after 4 attempts: it was interrupted$/)
    expect(await store.list('task:aside:')).toHaveLength(1)
  })

  test('a failure that cannot be stored does not lose the run', async () => {
    const { clock, store, define, start, runs } = host()
    let left = 1
    const fails = () => (left-- > 0 ? { reason: 'no tea' } : undefined)
    await start([define('daily', { cron: '0 9 * * *', retry: true })], { fails })
    const set = store.set.bind(store)
    store.set = (key, value, options) =>
      (value as { state: string }).state === 'failed' ? Promise.reject(new Error('full')) : set(key, value, options)
    await clock.advance(10 * HOUR)
    expect(runs.map(({ again }) => again)).toEqual([false, true])
  })
})

describe('a scheduled run', () => {
  test('runs again after an error if retry is set, blocks no other run, and can be cancelled meanwhile', async () => {
    const m = host()
    let left = 2
    const fails = () => (left-- > 0 ? { reason: 'no tea' } : undefined)
    await m.start([m.define('reminders', { retry: true, missed: 'skip' })], { fails })
    const first = await addTimer(m, 'reminders', { in: 1000 }, 'tea')
    await addTimer(m, 'reminders', { in: 2000 }, 'milk')
    await addTimer(m, 'reminders', { in: 3000 }, 'bread')
    await m.clock.advance(5000)
    expect(m.runs.map(({ payload }) => payload)).toEqual(['tea', 'milk', 'bread'])
    expect(await cancelTimer(m.store, first)).toBe(true)
    await m.clock.advance(HOUR)
    expect(m.runs.map(({ payload, again }) => [payload, again]).at(-1)).toEqual(['milk', true])
    expect(m.runs).toHaveLength(4)
    expect(await m.store.list('task:')).toEqual([])
  })

  test('is set aside after three more attempts, or at once after the last crash of its thread', async () => {
    const m = host()
    let isFinal = false
    await m.start([m.define('reminders', { retry: true })], { fails: () => ({ reason: 'no tea', isFinal }) })
    const id = await addTimer(m, 'reminders', { in: 1000 }, 'tea')
    await m.clock.advance(HOUR)
    expect(m.runs).toHaveLength(4)
    isFinal = true
    await addTimer(m, 'reminders', { in: 1000 }, 'milk')
    await m.clock.advance(HOUR)
    expect(m.runs).toHaveLength(5)
    const aside = await m.store.list('task:aside:')
    expect(aside.map(({ value }) => value)).toMatchObject([
      { task: 'reminders', payload: 'tea', reason: 'no tea' },
      { task: 'reminders', payload: 'milk', reason: 'no tea' },
    ])
    expect(aside[0]!.key).toBe(`task:aside:${id}`)
    expect(await m.store.list('task:timer:')).toEqual([])
    await m.clock.advance(31 * DAY)
    expect(await m.store.list('task:aside:')).toEqual([])
  })

  test('is repeated even if its failure cannot be stored at first', async () => {
    const m = host()
    let left = 1
    const fails = () => (left-- > 0 ? { reason: 'no tea' } : undefined)
    await m.start([m.define('reminders', { retry: true })], { fails })
    await addTimer(m, 'reminders', { in: 1000 }, 'tea')
    const set = m.store.set.bind(m.store)
    m.store.set = (key, value, options) =>
      (value as { failures?: number }).failures ? Promise.reject(new Error('full')) : set(key, value, options)
    await m.clock.advance(MINUTE)
    m.store.set = set
    await m.clock.advance(2 * MINUTE)
    expect(m.runs.map(({ again }) => again)).toEqual([false, true])
    expect(await m.store.list('task:')).toEqual([])
  })

  test('runs after a restart although many others wait for their next attempt', inAll, async () => {
    const m = host()
    const definitions = [m.define('calls', { retry: true }), m.define('reminders', {})]
    const first = await m.start(definitions, { fails: () => ({ reason: 'no tea' }) })
    for (let i = 0; i < 200; i++) await addTimer(m, 'calls', { in: 1000 + i }, i)
    await m.clock.advance(72_500)
    await first.stop(0)
    await addTimer(m, 'reminders', { in: 1000 }, 'tea')
    await m.clock.advance(2000)
    m.runs.length = 0
    await m.start(definitions)
    await m.clock.advance(1000)
    expect(m.runs.map(({ payload }) => payload)).toEqual(['tea'])
  })
})

describe('after the clock was set back', () => {
  const fails = () => ({ reason: 'no tea' })

  test('a recurring task that waits for its next attempt runs again after its wait', async () => {
    const { clock, define, start, runs } = host()
    const daily = define('daily', { cron: '0 9 * * *', retry: true })
    clock.setMs = 8 * HOUR
    const scheduler = await start([daily], { fails })
    await clock.advance(HOUR)
    expect(runs).toHaveLength(1)
    await scheduler.stop(0)
    clock.setMs = 0
    await start([daily])
    await clock.advance(MINUTE)
    expect(runs.map(({ again }) => again)).toEqual([false, true])
  })

  test('a scheduled run that waits for its next attempt runs again after its wait', async () => {
    const { clock, store, define, start, runs } = host()
    const once = define('once', { retry: true })
    clock.setMs = DAY
    await addTimer({ store, clock }, 'once', { at: clock.now() - 2 * DAY }, undefined)
    await start([once], { fails })
    expect(runs).toHaveLength(1)
    clock.setMs = 0
    await clock.advance(MINUTE)
    expect(runs.slice(0, 2).map(({ again }) => again)).toEqual([false, true])
  })

  test('a run that was scheduled for a past time begins', async () => {
    const { clock, store, define, start, runs } = host()
    clock.setMs = DAY
    await addTimer({ store, clock }, 'once', { at: clock.now() - 2 * DAY }, undefined)
    clock.setMs = 0
    await start([define('once', {})])
    expect(runs).toHaveLength(1)
  })
})
