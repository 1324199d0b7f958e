import { VirtualClock } from '@botwright/clock'
import { describe, expect, it } from 'vitest'
import { readPage } from './page.ts'
import { type ListEvents, Poller, reportGap, Unauthorized } from './poll-loop.ts'
import type { ReportEntry } from './report.ts'
import { message } from './rig.test.fixture.ts'

const failure = (facts: object) => Object.assign(new Error('refused'), facts)
const page = { events: [], last: 7 }

/** A poller whose requests have these outcomes in turn; the last one repeats. */
function rig(outcomes: (() => unknown)[], random = 0.5) {
  const clock = new VirtualClock()
  const atMs: number[] = []
  const reports: ReportEntry[] = []
  const stop = new AbortController()
  const signals: AbortSignal[] = []
  const listEvents: ListEvents = async (_, signal) => {
    signals.push(signal)
    const outcome = outcomes[Math.min(atMs.length, outcomes.length - 1)]!
    atMs.push(clock.monotonic())
    return outcome()
  }
  const report = (entry: ReportEntry) => void reports.push(entry)
  const poller = new Poller({ listEvents, clock, report, random: () => random, signal: stop.signal })
  const result = () => poller.page(1, 25).catch((error: unknown) => error)
  return { clock, atMs, reports, stop, signals, poller, result }
}
const fails =
  (facts: object = {}) =>
  () =>
    Promise.reject(failure(facts))

describe('waits after failures', () => {
  it.each([
    [0, [100, 667, 1333, 2667, 5333, 10_667, 20_000, 20_000]],
    [0.5, [200, 833, 1667, 3333, 6667, 13_333, 25_000, 25_000]],
    [1, [300, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
  ])('begin with a short one, and grow to 20 to 30 s (%d)', async (random, waits) => {
    const t = rig([fails()], random)
    const result = t.result()
    await t.clock.advance(200_000)
    const measured = t.atMs.slice(1).map((at, n) => Math.round(at - t.atMs[n]!))
    expect(measured.slice(0, waits.length)).toEqual(waits)
    t.stop.abort(new Error('stop'))
    expect(await result).toMatchObject({ message: 'stop' })
    expect(t.clock.waiting).toBe(0)
  })

  it.each([
    [0, 1],
    [7.5, 7.5],
    [301, 300],
  ])('are as long as the service asks: %d s is %d s', async (retryAfterSeconds, seconds) => {
    const t = rig([fails({ retryAfterSeconds }), () => page])
    const result = t.result()
    await t.clock.advance(seconds * 1000 - 1)
    expect(t.atMs).toHaveLength(1)
    await t.clock.advance(1)
    expect(await result).toMatchObject({ last: 7 })
  })

  it.each([['7'], [-1], [NaN], [null]])('ignore the wait %j', async (retryAfterSeconds) => {
    const t = rig([fails({ retryAfterSeconds }), () => page])
    const result = t.result()
    await t.clock.advance(200)
    expect(await result).toMatchObject({ last: 7 })
  })
})

describe('reports', () => {
  it('the first three failures, then one a minute, and the recovery', async () => {
    let works = false
    const t = rig([() => (works ? page : fails({ status: 503 })())])
    const result = t.result()
    await t.clock.advance(180_000)
    works = true
    await t.clock.advance(30_000)
    await result
    expect(t.reports.map(({ failures }) => failures)).toEqual([1, 2, 3, 9, 12, 13])
    expect(t.reports[0]).toEqual({
      ...{ code: 'poll_failed', level: 'warn', message: 'the poll failed: refused', failures: 1, status: 503 },
    })
    expect(t.reports.at(-1)).toMatchObject({ code: 'poll_recovered', level: 'info', failures: 13 })
    expect(t.reports.at(-1)?.message).toBe(`polling works again after ${Math.round(t.atMs.at(-1)! / 1000)} s`)
    expect(t.poller).toMatchObject({ polls: 14, failures: 13, lastGoodAtMs: t.atMs.at(-1) })
  })

  it('an invalid response, and a status only if it is a number', async () => {
    const t = rig([() => ({}), fails({ status: '503' }), () => page])
    const result = t.result()
    await t.clock.advance(10_000)
    await result
    expect(t.reports.slice(0, 2)).toEqual([
      {
        ...{ code: 'bad_answer', level: 'warn', failures: 1 },
        message: 'the response to the poll is not valid: "events" is not a list',
      },
      { code: 'poll_failed', level: 'warn', message: 'the poll failed: refused', failures: 2 },
    ])
  })

  it('nothing if all goes well', async () => {
    const t = rig([() => page])
    await t.result()
    await t.clock.advance(86_400_000)
    await t.result()
    expect(t.reports).toEqual([])
    await t.clock.advance(86_400_001)
    await t.result()
    expect(t.reports.map(({ code }) => code)).toEqual(['events_may_have_expired'])
  })

  it('that events may have expired while the host slept, and its monotonic clock with it', async () => {
    const t = rig([() => page])
    await t.result()
    const now = t.clock.now.bind(t.clock)
    t.clock.now = () => now() + 90_000_000
    await t.result()
    expect(t.reports).toMatchObject([{ code: 'events_may_have_expired', from: new Date(now()).toISOString() }])
  })

  it('which events may have expired after more than a day', () => {
    const reports: ReportEntry[] = []
    const at = Date.parse('2026-01-01T00:00:00Z')
    reportGap((entry) => reports.push(entry), at, at + 86_400_000)
    expect(reports).toEqual([])
    reportGap((entry) => reports.push(entry), at, at + 90_000_000)
    expect(reports).toMatchObject([
      {
        code: 'events_may_have_expired',
        level: 'warn',
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-01T01:00:00.000Z',
      },
    ])
  })
})

describe('one request', () => {
  it('fails after its wait and 10 more seconds, and is aborted', async () => {
    const t = rig([() => new Promise(() => {}), () => page])
    const result = t.result()
    await t.clock.advance(34_999)
    expect(t.signals[0]!.aborted).toBe(false)
    await t.clock.advance(1)
    expect(t.signals[0]!.aborted).toBe(true)
    expect(t.reports[0]?.message).toBe('the poll failed: no response within 35 s')
    await t.clock.advance(200)
    expect(await result).toMatchObject({ last: 7 })
    expect(t.signals[1]!.aborted).toBe(false)
    expect(t.clock.waiting).toBe(0)
  })

  it('is aborted by a stop, after which no request is sent', async () => {
    const t = rig([() => new Promise(() => {})])
    const result = t.result()
    await t.clock.advance(1)
    t.stop.abort(new Error('stop'))
    expect(await result).toMatchObject({ message: 'stop' })
    expect(t.signals[0]!.reason).toMatchObject({ message: 'stop' })
    expect(await t.result()).toMatchObject({ message: 'stop' })
    expect([t.atMs.length, t.clock.waiting, t.reports.length]).toEqual([1, 0, 0])
  })

  it('ends the feed after a 401', async () => {
    const t = rig([fails({ status: 401 })])
    const error = await t.result()
    expect(error).toBeInstanceOf(Unauthorized)
    expect(error).toMatchObject({ name: 'Unauthorized', message: 'refused', cause: { status: 401 } })
  })

  it('fails if the caller throws at once', async () => {
    const clock = new VirtualClock()
    let calls = 0
    const listEvents: ListEvents = () => {
      if (++calls === 1) throw new Error('thrown')
      return Promise.resolve(page)
    }
    const reports: string[] = []
    const poller = new Poller({
      ...{ listEvents, clock, random: () => 0, signal: new AbortController().signal },
      report: ({ message: text }) => void reports.push(text),
    })
    const result = poller.page(1, 0)
    await clock.advance(100)
    expect(await result).toMatchObject({ last: 7 })
    expect(reports[0]).toBe('the poll failed: thrown')
  })
})

describe('a page', () => {
  it('has its valid events in order, and the reasons why others were skipped', () => {
    const events = [message(5), null, message(9), message(7), { id: 0 }]
    expect(readPage({ events, last: 8 }, 0)).toEqual({
      events: [message(5), message(7), message(9)],
      last: 9,
      malformed: ['it is not an object', 'its id is not a positive integer'],
    })
    expect(readPage({ events: [message(5)], last: 8 }, 0)).toMatchObject({ last: 8, malformed: [] })
    expect(readPage({ events: [], last: 0 }, 0)).toEqual({ events: [], last: 1, malformed: [] })
  })

  it.each<[unknown, string]>([
    [[], 'it is not an object'],
    [{ last: 5 }, '"events" is not a list'],
    [{ events: [], last: '5' }, '"last" is not a non-negative integer'],
    [{ events: [], last: -1 }, '"last" is not a non-negative integer'],
    [{ events: [], last: 2 ** 53 }, '"last" is not a non-negative integer'],
  ])('%j is not usable', (value, reason) => {
    expect(readPage(value, 0)).toBe(reason)
  })
})
