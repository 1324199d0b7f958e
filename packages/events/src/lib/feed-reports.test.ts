import { describe, expect, it } from 'vitest'
import { message, testFeed, turns } from './rig.test.fixture.ts'

describe('the feed reports', () => {
  const reportsOf = async (options: Parameters<typeof testFeed>[0], savedAfter?: number) => {
    const t = testFeed(options)
    if (savedAfter !== undefined) t.journal.commit({ cursor: { after: savedAfter, savedAtMs: t.clock.now() } })
    t.source.add(message(5))
    t.feed.start()
    await turns()
    await t.feed.stop({ graceMs: 0 })
    return t.reports
  }

  it('where it starts', async () => {
    expect(await reportsOf({ start: 'kept' })).toMatchObject([{ code: 'starting_kept', level: 'info' }])
    expect(await reportsOf({ start: 'now' })).toMatchObject([{ code: 'starting_now', level: 'info', last: 5 }])
    expect(await reportsOf({}, 5)).toEqual([])
  })

  it('that it receives events from the webhook only', async () => {
    expect(await reportsOf({ delivery: 'webhook' }, 5)).toMatchObject([{ code: 'webhook_only', level: 'info' }])
    expect(await reportsOf({ delivery: 'both' }, 5)).toEqual([])
  })

  it('that the ids of the service have restarted', async () => {
    expect(await reportsOf({}, 9)).toMatchObject([{ code: 'feed_reset', level: 'warn', after: 9, last: 5 }])
  })

  it('a refused token, which ends it', async () => {
    const refused = { listEvents: () => Promise.reject(Object.assign(new Error('no'), { status: 401 })) }
    expect(await reportsOf(refused, 5)).toMatchObject([{ code: 'unauthorized', level: 'error' }])
  })

  it('a failed handler and a failed callback, with the event', async () => {
    const error = new Error('x')
    const fail = () => {
      throw error
    }
    const facts = { code: 'run_failed', level: 'error', id: 5, type: 'message', error }
    expect(await reportsOf({ run: fail, received: fail })).toMatchObject([{ code: 'starting_kept' }, facts, facts])
  })

  it('events of a page that it skips', async () => {
    const t = testFeed({
      listEvents: async ({ after }) => (after === 1 ? { events: [null], last: 5 } : new Promise(() => {})),
    })
    t.feed.start()
    await turns()
    expect(t.reports.at(-1)).toEqual({
      ...{ code: 'event_malformed', level: 'warn', message: 'skipped an event of the page: it is not an object' },
    })
    await t.feed.stop({ graceMs: 0 })
  })

  it('a fault of its own, which ends it', async () => {
    const t = testFeed({
      holdPoll: () => {
        throw new Error('a fault')
      },
    })
    t.feed.start()
    const end = await t.feed.ended
    expect(end).toMatchObject({ reason: 'stopped', error: { message: 'a fault' } })
    expect(t.reports.at(-1)).toMatchObject({ code: 'poll_failed', level: 'error', message: 'polling ended: a fault' })
    await t.feed.placed
    await t.feed.stop({ graceMs: 0 })
  })
})

describe('polls', () => {
  it('wait as long as the caller holds them', async () => {
    let letGo!: () => void
    let held = true
    const t = testFeed({ holdPoll: () => (held ? new Promise((resolve) => (letGo = resolve)) : undefined) })
    t.feed.start()
    await turns()
    expect(t.source.asked).toEqual([])
    held = false
    letGo()
    await turns()
    expect(t.source.asked).toEqual([{ after: 1, wait: 25 }])
    await t.feed.stop({ graceMs: 0 })
  })

  it.each([
    [49, [1, 50]],
    [50, [1, 51]],
  ])('of a full page are followed by the next one before its events run (%d events)', async (count, asked) => {
    const order: string[] = []
    const events = Array.from({ length: count }, (_, n) => message(n + 2))
    const t = testFeed({
      listEvents: ({ after }) => {
        order.push(`poll ${after}`)
        return after === 1 ? Promise.resolve({ events, last: count + 1 }) : new Promise(() => {})
      },
      run: ({ event: { id } }) => void (id === 2 && order.push('run')),
    })
    t.feed.start()
    await turns()
    const [first, next] = asked.map((after) => `poll ${after}`)
    expect(order).toEqual(count < 50 ? [first, 'run', next] : [first, next, 'run'])
    await t.feed.stop({ graceMs: 0 })
  })

  it('slow down to one a second after three empty responses without a wait', async () => {
    const atMs: number[] = []
    const t = testFeed({
      listEvents: async () => {
        atMs.push(t.clock.monotonic())
        return { events: [], last: 1 }
      },
    })
    t.feed.start()
    await t.clock.advance(3000)
    expect(atMs).toEqual([0, 0, 0, 1000, 2000, 3000])
    expect(t.codes()).toEqual(['starting_kept', 'answers_too_early'])
    expect(t.reports[1]?.level).toBe('warn')
    await t.feed.stop({ graceMs: 0 })
  })

  it('do not count empty responses from before an event, or without a requested wait', async () => {
    const atMs: number[] = []
    const t = testFeed({
      listEvents: async () => {
        atMs.push(t.clock.monotonic())
        return atMs.length === 3 ? { events: [message(2)], last: 2 } : { events: [], last: atMs.length > 3 ? 2 : 1 }
      },
    })
    t.feed.start()
    await t.clock.advance(1000)
    expect(atMs).toEqual([0, 0, 0, 0, 0, 0, 1000])
    await t.feed.stop({ graceMs: 0 })
    let count = 0
    const short = testFeed({
      waitSeconds: 0,
      listEvents: () =>
        new Promise((resolve) => (count++, short.clock.after(10, () => resolve({ events: [], last: 1 })))),
    })
    short.feed.start()
    await short.clock.advance(900)
    expect(count).toBe(91)
    await short.feed.stop({ graceMs: 0 })
  })

  it('do not slow down if the responses took longer than 100 ms', async () => {
    for (const [ms, polls] of [
      [100, 3],
      [101, 9],
    ] as const) {
      let count = 0
      const t = testFeed({
        listEvents: () =>
          new Promise((resolve) => (count++, t.clock.after(ms, () => resolve({ events: [], last: 1 })))),
      })
      t.feed.start()
      await t.clock.advance(900)
      expect(count, `${ms} ms`).toBe(polls)
      await t.feed.stop({ graceMs: 0 })
    }
  })

  it('once a minute fetch what the webhook missed', async () => {
    const t = testFeed({ delivery: 'webhook', start: 'now' })
    t.feed.start()
    await turns()
    const before = t.source.asked.length
    await t.clock.advance(59_999)
    expect(t.source.asked).toHaveLength(before)
    await t.clock.advance(1)
    expect(t.source.asked).toHaveLength(before + 1)
    await t.feed.stop({ graceMs: 0 })
  })
})
