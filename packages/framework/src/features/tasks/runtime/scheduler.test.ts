import { describe, expect, test } from 'vitest'
import type { TaskSchedule } from '../../../author/files/entries.ts'
import { scheduleProblem } from '../task.ts'
import { cronOccurrences } from '../occurrences.ts'
import { addTimer, cancelTimer, listTimers } from '../stored-timers.ts'
import { DAY, host, HOUR, MINUTE } from './scheduler-host.test.fixture.ts'

describe('a recurring task', () => {
  test('runs at its scheduled times and not at startup', async () => {
    const { clock, define, start, times } = host()
    await start([define('daily', { cron: '0 9 * * *' }), define('often', { everyMs: 6 * HOUR })])
    expect(times()).toEqual([])
    await clock.advance(DAY)
    expect(times()).toEqual([
      '2026-01-01T06:00:00.000Z',
      '2026-01-01T09:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
      '2026-01-01T18:00:00.000Z',
      '2026-01-02T00:00:00.000Z',
    ])
  })

  test('runs in its time zone across both daylight-saving changes', async () => {
    const spring = host(Date.UTC(2026, 2, 28, 0))
    await spring.start([spring.define('daily', { cron: '30 9 * * *', timezone: 'Europe/Berlin' })])
    await spring.clock.advance(2 * DAY)
    expect(spring.times()).toEqual(['2026-03-28T08:30:00.000Z', '2026-03-29T07:30:00.000Z'])
    // 02:30 does not exist in spring and occurs twice in autumn: the task runs once each time.
    const night = cronOccurrences('30 2 * * *', 'Europe/Berlin')
    const of = (from: string) => new Date(night.next(Date.parse(from))!).toISOString()
    expect(of('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z')
    expect(of('2026-03-29T01:00:00Z')).toBe('2026-03-30T00:30:00.000Z')
    expect(of('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z')
    expect(of('2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z')
    expect(new Date(night.latest(Date.parse('2026-10-26T01:30:00.000Z'))!).toISOString()).toBe(
      '2026-10-26T01:30:00.000Z',
    )
  })

  test.each([
    ['once', ['2026-01-04T09:00:00.000Z']],
    ['all', ['2026-01-02T09:00:00.000Z', '2026-01-03T09:00:00.000Z', '2026-01-04T09:00:00.000Z']],
    ['skip', []],
  ] as const)('runs missed during a stop of three days; missed: %s', async (missed, expected) => {
    const { clock, define, start, times, runs } = host()
    const first = await start([define('daily', { cron: '0 9 * * *', missed })])
    await clock.advance(12 * HOUR)
    await first.stop(0)
    runs.length = 0
    await clock.advance(3 * DAY)
    const second = await start([define('daily', { cron: '0 9 * * *', missed })])
    await clock.advance(1000)
    expect(times()).toEqual(expected)
    await second.stop(0)
    await start([define('daily', { cron: '0 9 * * *', missed })])
    await clock.advance(1000)
    expect(times()).toEqual(expected)
  })

  test('never overlaps itself: times during a run are missed', async () => {
    const { clock, define, start, runs, times } = host()
    await start([define('slow', { everyMs: MINUTE, missed: 'skip' })], { slow: true })
    await clock.advance(10 * MINUTE + 30_000)
    expect(runs).toHaveLength(1)
    runs[0]!.end()
    await clock.advance(1000)
    // A run that is half a minute late does not count as missed yet.
    expect(times()).toEqual(['2026-01-01T00:01:00.000Z', '2026-01-01T00:10:00.000Z'])
    runs[1]!.end()
    await clock.advance(MINUTE)
    expect(times().at(-1)).toBe('2026-01-01T00:11:00.000Z')
  })

  test('a run interrupted by a crash runs again even if the first reading of the store fails', async () => {
    const { clock, define, start, runs, store } = host()
    const daily = define('daily', { cron: '0 9 * * *', retry: true })
    await start([daily], { slow: true })
    await clock.advance(10 * HOUR)
    const get = store.get.bind(store)
    store.get = () => Promise.reject(new Error('the disk is away'))
    await start([daily])
    store.get = get
    await clock.advance(MINUTE)
    expect(runs.map(({ again }) => again)).toEqual([false, true])
  })

  test.each([false, true])('a run interrupted by a crash; retry: %s', async (retry) => {
    const { clock, define, start, runs, lines } = host()
    const daily = define('daily', { cron: '0 9 * * *', retry })
    await start([daily], { slow: true })
    await clock.advance(10 * HOUR)
    expect(runs).toHaveLength(1)
    // The process has died. The next one:
    await start([daily])
    await clock.advance(1000)
    if (retry) {
      expect(runs.map(({ again, scheduledAtMs }) => [again, scheduledAtMs])).toEqual([
        [false, runs[0]!.scheduledAtMs],
        [true, runs[0]!.scheduledAtMs],
      ])
    } else {
      expect(runs).toHaveLength(1)
      expect(lines.join()).toMatch(/tasks\/daily\.ts: its run of 2026-01-01T09:00:00.000Z was interrupted and does not/)
    }
    await clock.advance(DAY)
    expect(runs).toHaveLength(retry ? 3 : 2)
  })

  test('applies a changed schedule from now on, without missed runs', async () => {
    const { clock, define, start, times } = host()
    const scheduler = await start([define('daily', { cron: '0 9 * * *' })])
    await clock.advance(12 * HOUR)
    scheduler.update([define('daily', { cron: '0 10 * * *' }), define('new', { cron: '0 13 * * *' })])
    await clock.advance(DAY)
    expect(times()).toEqual(['2026-01-01T09:00:00.000Z', '2026-01-01T13:00:00.000Z', '2026-01-02T10:00:00.000Z'])
    scheduler.update([])
    await clock.advance(DAY)
    expect(times()).toHaveLength(3)
  })

  test('continues when a clock that was ahead is set back, even after a restart, and repeats no run', async () => {
    const { clock, define, start, times, runs, lines } = host(Date.UTC(2026, 0, 1, 12))
    clock.setMs = 300 * DAY
    const tasks = [define('daily', { cron: '0 9 * * *' })]
    const first = await start(tasks)
    await clock.advance(DAY)
    expect(times()).toEqual(['2026-10-29T09:00:00.000Z'])
    clock.setMs = 0
    await clock.advance(DAY)
    expect(times()).toEqual(['2026-10-29T09:00:00.000Z', '2026-01-03T09:00:00.000Z'])
    expect(lines).toEqual([expect.stringMatching(/^tasks\/daily\.ts: the clock was ahead at its last run/)])
    await first.stop(0)
    clock.setMs = 30 * DAY
    const second = await start(tasks)
    await clock.advance(1000)
    await second.stop(0)
    clock.setMs = 0
    runs.length = 0
    const third = await start(tasks)
    await clock.advance(DAY)
    expect(times()).toEqual(['2026-01-04T09:00:00.000Z'])
    // A repeated second does not mean that the clock was ahead.
    clock.setMs = -4 * HOUR
    await third.stop(0)
    await start(tasks)
    await clock.advance(4 * HOUR)
    expect(runs).toHaveLength(1)
  })

  test.each([
    ['of a new schedule', 0],
    ['after the clock was set back', 300 * DAY],
  ])('stores the beginning %s again if the disk fails', async (_, aheadMs) => {
    const { clock, define, start, lines, store } = host()
    const daily = define('daily', { cron: '0 9 * * *' })
    if (aheadMs > 0) {
      clock.setMs = aheadMs
      await (await start([daily])).stop(0)
      clock.setMs = 0
    }
    const set = store.set.bind(store)
    store.set = () => Promise.reject(new Error('disk full'))
    await start([daily])
    expect(lines.at(-1)).toMatch(/cannot begin \(disk full\); trying again/)
    store.set = set
    await clock.advance(30_000)
    expect(await store.list('task:last:')).toMatchObject([{ value: { state: 'done', scheduledAtMs: clock.now() } }])
  })

  test('uses its newest schedule after a run, and does not overlap itself when its file was removed briefly', async () => {
    const { clock, define, start, runs, times } = host()
    const often = define('slow', { everyMs: MINUTE })
    const scheduler = await start([often], { slow: true })
    await clock.advance(90_000)
    scheduler.update([])
    await clock.advance(10_000)
    scheduler.update([often])
    await clock.advance(2 * MINUTE)
    expect(runs).toHaveLength(1)
    scheduler.update([define('slow', { everyMs: HOUR })])
    runs[0]!.end()
    await clock.advance(10 * MINUTE)
    expect(times()).toEqual(['2026-01-01T00:01:00.000Z'])
    await clock.advance(HOUR)
    expect(times()).toEqual(['2026-01-01T00:01:00.000Z', '2026-01-01T01:00:00.000Z'])
  })

  test('runs in only one of two processes that share a store', async () => {
    const { clock, define, start, runs, store } = host()
    await start([define('daily', { cron: '0 9 * * *' })])
    const onWrite = store.onWrite
    await start([define('daily', { cron: '0 9 * * *' })])
    store.onWrite = onWrite
    await clock.advance(DAY)
    expect(runs).toHaveLength(1)
  })

  test('stop waits for running tasks for the grace period', async () => {
    const { clock, define, start, runs } = host()
    const scheduler = await start([define('often', { everyMs: MINUTE })], { slow: true })
    await clock.advance(MINUTE)
    const stopped = scheduler.stop(5000)
    await clock.advance(4999)
    runs[0]!.end()
    expect(await stopped).toEqual({ unfinished: 0 })
    await clock.advance(HOUR)
    expect(runs).toHaveLength(1)
  })

  test('logs an error of the store and retries', async () => {
    const { clock, define, start, runs, store, lines } = host()
    await start([define('often', { everyMs: HOUR })])
    const set = store.set.bind(store)
    store.set = () => Promise.reject(new Error('the disk is full'))
    await clock.advance(HOUR + MINUTE)
    expect(runs).toHaveLength(0)
    expect(lines.join()).toMatch(/tasks\/often\.ts: cannot begin \(the disk is full\)/)
    store.set = set
    await clock.advance(MINUTE)
    expect(runs).toHaveLength(1)
  })
})

describe('a scheduled run', () => {
  const reminders = (m: ReturnType<typeof host>) => m.define('reminders', {})

  test('runs at its time with its own payload', async () => {
    const m = host()
    await m.start([reminders(m)])
    await addTimer(m, 'reminders', { in: '2h' }, { text: 'tea' })
    await addTimer(m, 'reminders', { at: new Date(m.clock.now() + HOUR) }, { text: 'milk' })
    await m.clock.advance(HOUR)
    expect(m.runs.map(({ payload }) => payload)).toEqual([{ text: 'milk' }])
    await m.clock.advance(HOUR)
    expect(m.runs.map(({ payload, at }) => [payload, at])).toEqual([
      [{ text: 'milk' }, m.clock.now() - HOUR],
      [{ text: 'tea' }, m.clock.now()],
    ])
    expect(await m.store.list('task:timer:')).toEqual([])
  })

  test('survives a stop and runs late', async () => {
    const m = host()
    const first = await m.start([reminders(m)])
    await addTimer(m, 'reminders', { in: '1h' }, 'tea')
    await first.stop(0)
    await m.clock.advance(DAY)
    await m.start([reminders(m)])
    await m.clock.advance(1000)
    expect(m.runs.map(({ payload }) => payload)).toEqual(['tea'])
    await m.start([reminders(m)])
    await m.clock.advance(1000)
    expect(m.runs).toHaveLength(1)
  })

  test.each(['once', 'skip'] as const)("of a past time runs at once with missed: '%s'", async (missed) => {
    const m = host()
    await m.start([m.define('often', { everyMs: DAY, missed })])
    const at = m.clock.now() - HOUR
    await addTimer(m, 'often', { at }, 'tea')
    await m.clock.advance(1000)
    expect(m.runs).toEqual([expect.objectContaining({ payload: 'tea', scheduledAtMs: at, again: false })])
    expect(m.lines).toEqual([])
  })

  test("is skipped with missed: 'skip' if the bot was stopped at its time", async () => {
    const m = host()
    const often = [m.define('often', { everyMs: 30 * DAY, missed: 'skip' })]
    const first = await m.start(often)
    await first.stop(0)
    for (const at of [m.clock.now() - HOUR, m.clock.now() + HOUR]) await addTimer(m, 'often', { at }, 'tea')
    await m.clock.advance(DAY)
    await m.start(often)
    await m.clock.advance(1000)
    expect(m.runs).toEqual([])
    expect(m.lines).toHaveLength(2)
  })

  test('is listed in the order of its time and can be cancelled', async () => {
    const m = host()
    await m.start([reminders(m)])
    const late = await addTimer(m, 'reminders', { in: '2h' }, 'late')
    await addTimer(m, 'reminders', { in: '1h' }, 'early')
    await addTimer(m, 'other', { in: '1m' }, 'not mine')
    expect((await listTimers(m.store, 'reminders')).map(({ payload }) => payload)).toEqual(['early', 'late'])
    expect((await listTimers(m.store, 'reminders'))[1]).toEqual({
      id: late,
      at: new Date(m.clock.now() + 2 * HOUR),
      payload: 'late',
    })
    expect(await cancelTimer(m.store, late)).toBe(true)
    expect(await cancelTimer(m.store, late)).toBe(false)
    expect(await cancelTimer(m.store, '../../state:x')).toBe(false)
    await m.clock.advance(DAY)
    expect(m.runs.map(({ payload }) => payload)).toEqual(['early'])
  })

  test.each([false, true])('a run interrupted by a crash; retry: %s', async (retry) => {
    const m = host()
    await m.start([m.define('reminders', { retry })], { slow: true })
    const id = await addTimer(m, 'reminders', { in: 1000 }, 'tea')
    await m.clock.advance(2000)
    expect(m.runs).toHaveLength(1)
    expect(await cancelTimer(m.store, id)).toBe(false)
    await m.start([m.define('reminders', { retry })])
    await m.clock.advance(2000)
    expect(m.runs.map(({ again }) => again)).toEqual(retry ? [false, true] : [false])
    if (!retry) expect(m.lines.join()).toMatch(/tasks\/reminders\.ts: its run of .* was interrupted/)
    expect(await m.store.list('task:timer:')).toEqual([])
  })

  test('runs all that are due at once, with limited concurrency', async () => {
    const m = host()
    await m.start([reminders(m)], { slow: true })
    for (let i = 0; i < 130; i++) await addTimer(m, 'reminders', { in: 1000 + i }, i)
    await m.clock.advance(2000)
    expect(m.runs).toHaveLength(50)
    for (let done = 0; done < m.runs.length; done++) {
      m.runs[done]!.end()
      await m.clock.advance(0)
      await m.clock.advance(0)
    }
    expect(new Set(m.runs.map(({ payload }) => payload)).size).toBe(130)
    expect(m.runs).toHaveLength(130)
  })

  test('waits while the file of its task is missing', async () => {
    const m = host()
    const scheduler = await m.start([m.define('other', {})])
    await addTimer(m, 'reminders', { in: 1000 }, 'tea')
    await m.clock.advance(HOUR)
    expect(m.runs).toEqual([])
    expect(m.lines.join()).toMatch(/tasks\/reminders: this file is gone/)
    scheduler.update([reminders(m)])
    await m.clock.advance(1000)
    expect(m.runs).toHaveLength(1)
  })

  test('rejects an invalid time', async () => {
    const m = host()
    await expect(addTimer(m, 'x', { in: 'soon' as '1s' }, 1)).rejects.toThrow(/schedule: in must be a duration/)
    await expect(addTimer(m, 'x', { at: new Date('nonsense') }, 1)).rejects.toThrow(/at must be a Date/)
    await expect(addTimer(m, 'x', { at: new Date(8.64e15) }, 1)).rejects.toThrow(/at must be a Date/)
  })

  test('a run that is scheduled for ever has a time, and can be cancelled', async () => {
    const m = host()
    await m.start([reminders(m)])
    const id = await addTimer(m, 'reminders', { in: Number.MAX_SAFE_INTEGER }, 1)
    await m.clock.advance(1000)
    expect((await listTimers(m.store, 'reminders')).map(({ at }) => at.getUTCFullYear())).toEqual([5194])
    expect(await cancelTimer(m.store, id)).toBe(true)
    expect(m.lines).toEqual([])
  })
})

test('rejects an invalid schedule where it is declared', async () => {
  const of = (schedule: Partial<TaskSchedule>) => scheduleProblem({ missed: 'once', retry: false, ...schedule })
  expect(await of({})).toBeUndefined()
  expect(await of({ cron: '*/5 * * * *', timezone: 'Asia/Tokyo' })).toBeUndefined()
  expect(await of({ cron: '61 * * * *' })).toMatch(
    /cron '61 \* \* \* \*' cannot be read \(Invalid value for minute: 61\)/,
  )
  expect(await of({ cron: '0 0 30 2 *' })).toMatch(/never occurs/)
  expect(await of({ cron: '0 9 * * *', timezone: 'Mars/Base' })).toMatch(/there is no time zone "Mars\/Base"/)
  expect(await of({ everyMs: 10 })).toMatch(/at least '1s'/)
  expect(await of({ everyMs: 10_000, cron: '0 9 * * *' })).toMatch(/both cron and every/)
  for (const errors of [0, 1.5, 101, Infinity])
    expect(await of({ retry: { errors, waitsMs: [1000] } })).toBe('retry.errors must be a whole number from 1 to 100')
  expect(await of({ retry: { errors: 1, waitsMs: [] } })).toBe("retry.after must have at least one wait, such as '10s'")
  expect(await of({ retry: { errors: 1, waitsMs: [999] } })).toBe("retry.after must be at least '1s'")
})
