import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@botwright/clock'
import { openJournal, type Delivery, type EventKey } from '../index.ts'
import { EventSource, message, testFeed, turns } from './rig.test.fixture.ts'

describe('starting position', () => {
  it('starts now: sends after=0 once, reports it, and delivers only later events [spec: decisions/16, decisions/19]', async () => {
    const t = testFeed({ start: 'now' })
    t.source.add(message(5), message(9))
    t.feed.start()
    await turns()
    expect(t.source.asked).toEqual([
      { after: 0, wait: 0 },
      { after: 9, wait: 25 },
    ])
    t.source.add(message(14))
    await turns()
    expect(t.ids()).toEqual([14])
    expect(t.codes()).toEqual(['starting_now'])
    await t.feed.stop({ graceMs: 0 })
    expect(t.journal.cursor()?.after).toBe(14)
  })

  it('resolves `placed` when the service has responded and the position is saved, or when polling ends', async () => {
    let answer!: (page: unknown) => void
    const placed = async (feed: { placed: Promise<void> }) => {
      let is = false
      void feed.placed.then(() => (is = true))
      await turns()
      return is
    }
    const first = testFeed({ start: 'now', listEvents: () => new Promise((resolve) => (answer = resolve)) })
    first.feed.start()
    expect(await placed(first.feed)).toBe(false)
    answer({ events: [], last: 7 })
    expect(await placed(first.feed)).toBe(true)
    expect(first.journal.cursor()?.after).toBe(7)
    const later = testFeed({ listEvents: () => new Promise((resolve) => (answer = resolve)) })
    later.journal.commit({ cursor: { after: 5, savedAtMs: later.clock.now() } })
    later.feed.start()
    expect(await placed(later.feed)).toBe(false)
    answer({ events: [], last: 7 })
    expect(await placed(later.feed)).toBe(true)
    const refused = testFeed({ listEvents: () => Promise.reject(Object.assign(new Error('401'), { status: 401 })) })
    refused.feed.start()
    expect(await placed(refused.feed)).toBe(true)
    for (const { feed } of [first, later, refused]) await feed.stop({ graceMs: 0 })
  })

  it('starts with the kept events by sending after=1', async () => {
    const t = testFeed({ start: 'kept' })
    t.source.add(message(5), message(9))
    t.feed.start()
    await turns()
    expect(t.source.asked[0]).toEqual({ after: 1, wait: 25 })
    expect(t.ids()).toEqual([5, 9])
    expect(t.codes()).toEqual(['starting_kept'])
    await t.feed.stop({ graceMs: 0 })
  })

  it('treats last 0 of an empty feed as 1, and misses no event [spec: decisions/35]', async () => {
    const asked: number[] = []
    const t = testFeed({
      start: 'now',
      listEvents: async ({ after }, signal) => {
        asked.push(after)
        if (after === 0) return { events: [], last: 0 }
        if (after === 1) return { events: [message(2)], last: 2 }
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      },
    })
    t.feed.start()
    await turns()
    expect(asked).toEqual([0, 1, 2])
    expect(t.ids()).toEqual([2])
    await t.feed.stop({ graceMs: 0 })
  })

  it('continues from the saved cursor, after requesting the newest id once', async () => {
    const t = testFeed()
    t.journal.commit({ cursor: { after: 5, savedAtMs: t.clock.now() } })
    t.source.add(message(5), message(9))
    t.feed.start()
    await turns()
    expect(t.source.asked.slice(0, 2)).toEqual([
      { after: 0, wait: 0 },
      { after: 5, wait: 25 },
    ])
    expect(t.ids()).toEqual([9])
    expect(t.codes()).toEqual([])
    await t.feed.stop({ graceMs: 0 })
  })

  it('detects a cursor above the newest id on startup, and continues from the newest [spec: decisions/17]', async () => {
    const t = testFeed()
    t.journal.commit({ cursor: { after: 500, savedAtMs: t.clock.now() }, done: [510] })
    t.source.add(message(5))
    t.feed.start()
    await turns()
    expect(t.codes()).toEqual(['feed_reset'])
    t.source.add(message(6))
    await turns()
    expect(t.ids()).toEqual([6])
    await t.feed.stop({ graceMs: 0 })
    expect(t.journal.cursor()?.after).toBe(6)
  })

  it('detects a reset while running, and delivers repeated ids [spec: decisions/17]', async () => {
    const t = testFeed()
    t.source.add(message(50), message(60))
    t.feed.start()
    await turns()
    t.source.events.length = 0
    t.source.add(message(3))
    await turns()
    t.source.add(message(50))
    await turns()
    expect(t.codes()).toEqual(['starting_kept', 'feed_reset'])
    expect(t.ids()).toEqual([50, 60, 50])
    await t.feed.stop({ graceMs: 0 })
  })

  it('an event of the former feed that ends after a reset does not hide a new event with its id after a restart', async () => {
    const running = new Map<number, () => void>()
    const run = ({ event: { id } }: Delivery) => new Promise<void>((end) => running.set(id, end))
    const t = testFeed({ run })
    t.source.add(message(49), message(50))
    t.feed.start()
    await turns()
    t.source.events.length = 0
    t.source.add(message(3, 'b'))
    await turns()
    // Ends, and lets the next one of its queue begin.
    running.get(49)!()
    await turns()
    await t.clock.advance(1000)
    running.get(50)!()
    await turns()
    await t.clock.advance(1000)
    await t.feed.stop({ graceMs: 0 })
    const { journal, source, clock } = t
    expect([...journal.doneAboveCursor()]).toEqual([])
    const next = testFeed({ journal, source, clock })
    next.feed.start()
    source.add(message(49), message(50))
    await turns()
    expect(next.ran.map(({ event, attempt }) => [event.id, attempt > 1])).toEqual([
      [49, false],
      [50, false],
    ])
    await next.feed.stop({ graceMs: 0 })
  })

  it.each([
    [86_400_000 + 1000, ['events_may_have_expired']],
    [86_400_000 - 1000, []],
    [-86_400_000 * 3, []],
  ])('reports what may have expired after %s ms away [spec: decisions/18]', async (awayMs, codes) => {
    const t = testFeed()
    t.source.add(message(5))
    t.journal.commit({ cursor: { after: 5, savedAtMs: t.clock.now() - awayMs } })
    t.feed.start()
    await turns()
    expect(t.codes()).toEqual(codes)
    await t.feed.stop({ graceMs: 0 })
  })

  it('updates the time of an idle cursor', async () => {
    const t = testFeed({ listEvents: async () => ({ events: [], last: 7 }) })
    t.feed.start()
    await t.clock.advance(3_600_000)
    expect(t.clock.now() - t.journal.cursor()!.savedAtMs).toBeLessThanOrEqual(61_000)
    expect(t.codes()).toEqual(['starting_kept', 'answers_too_early'])
    expect(t.feed.stats().polls).toBeLessThan(3700)
    await t.feed.stop({ graceMs: 0 })
  })
})

describe('order and limits', () => {
  /** A handler that ends when the test resolves it. */
  const byHand = () => {
    const open = new Map<number, () => void>()
    const ran: Delivery[] = []
    const run = (delivery: Delivery) => {
      ran.push(delivery)
      return new Promise<void>((resolve) => open.set(delivery.event.id, resolve))
    }
    const finish = async (id: number) => {
      open.get(id)!()
      open.delete(id)
      await turns(3)
    }
    return { ran, run, finish, running: () => [...open.keys()] }
  }

  it('runs one channel in order and channels concurrently; clicks on a message do not wait for its channel', async () => {
    const hand = byHand()
    const t = testFeed({ run: hand.run })
    const click = { ...message(4, 'a'), type: 'interaction', data: { message_id: 'm', channel_id: 'a' } }
    const join = (id: number, server_id: string) => ({
      ...message(id),
      type: 'member_join',
      data: { channel_id: null, server_id },
    })
    t.source.add(message(2, 'a'), message(3, 'b'), click, join(5, 's'), join(6, 's'), join(7, 'q'), message(8, 'a'))
    t.feed.start()
    await turns()
    expect(hand.running()).toEqual([2, 3, 4, 5, 7])
    await hand.finish(5)
    await hand.finish(2)
    expect(hand.running()).toEqual([3, 4, 7, 6, 8])
    await t.feed.stop({ graceMs: 0 })
  })

  it('moves the cursor only past the finished, contiguous part of what was received', async () => {
    const hand = byHand()
    const t = testFeed({ run: hand.run })
    t.source.add(message(10, 'a'), message(20, 'b'), message(35, 'c'))
    t.feed.start()
    await turns()
    expect(t.journal.cursor()?.after).toBe(1)
    await hand.finish(20)
    await t.clock.advance(10)
    expect(t.journal.cursor()?.after).toBe(1)
    expect([...t.journal.unfinished().keys()]).toEqual([10, 35])
    await hand.finish(10)
    await t.clock.advance(10)
    expect(t.journal.cursor()?.after).toBe(20)
    await hand.finish(35)
    await t.clock.advance(10)
    expect(t.journal.cursor()?.after).toBe(35)
    await t.feed.stop({ graceMs: 0 })
  })

  it('respects `maxRunning`, and sends no poll while too many events wait', async () => {
    const hand = byHand()
    const t = testFeed({ run: hand.run, maxRunning: 2, maxWaiting: 3 })
    t.source.pageSize = 8
    t.source.add(...Array.from({ length: 12 }, (_, n) => message(n + 2, `c${n}`)))
    t.feed.start()
    await turns()
    expect(hand.running()).toEqual([2, 3])
    expect(t.source.asked).toHaveLength(1)
    for (const id of [2, 3]) await hand.finish(id)
    expect(t.source.asked).toHaveLength(1)
    await hand.finish(4)
    expect(t.source.asked).toHaveLength(2)
    for (let id = 5; id <= 13; id++) await hand.finish(id)
    await t.feed.whenIdle()
    expect(hand.ran.map(({ event }) => event.id)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    await t.feed.stop({ graceMs: 0 })
  })

  it('writes "started" before the handler starts, and nothing for events that only wait', async () => {
    const seen: EventKey[][] = []
    const clock = new VirtualClock()
    const journal = openJournal({ file: ':memory:', baseUrl: 'x', botId: 'b', clock })
    const t = testFeed({ clock, journal, run: () => void seen.push([...journal.unfinished().keys()]) })
    t.source.add(message(2, 'a'), message(3, 'a'), message(4, 'b'))
    t.feed.start()
    await t.feed.whenIdle()
    await turns()
    expect(seen).toEqual([[2, 4], [2, 4], [3]])
    await t.feed.stop({ graceMs: 0 })
  })

  it('counts a run that rejects or throws as finished, and reports it', async () => {
    const t = testFeed({
      run: ({ event: { id } }) => {
        if (id === 2) throw new Error('thrown')
        return id === 3 ? Promise.reject(new Error('rejected')) : undefined
      },
    })
    t.source.add(message(2), message(3), message(4))
    t.feed.start()
    await turns(20)
    await t.feed.whenIdle()
    expect(t.codes()).toEqual(['starting_kept', 'run_failed', 'run_failed'])
    expect(t.feed.stats()).toMatchObject({ started: 3, finished: 3, cursor: 4, running: 0, waiting: 0 })
    await t.feed.stop({ graceMs: 0 })
  })

  it('calls `received` when an event arrives, even in a busy queue, and ignores its errors', async () => {
    const hand = byHand()
    const announced: number[] = []
    const received = ({ event: { id } }: Delivery) => {
      announced.push(id)
      if (id === 3) throw new Error('early')
    }
    const t = testFeed({ run: hand.run, received })
    t.source.add(message(2), message(3), message(4))
    t.feed.start()
    await turns()
    expect(announced).toEqual([2, 3, 4])
    expect(hand.running()).toEqual([2])
    expect(t.codes()).toEqual(['starting_kept', 'run_failed'])
    await hand.finish(2)
    expect(hand.running()).toEqual([3])
    await t.feed.stop({ graceMs: 0 })
  })

  it('stop starts no more handlers, waits for running ones, and counts the unfinished', async () => {
    const hand = byHand()
    const t = testFeed({ run: hand.run })
    t.source.add(message(2, 'a'), message(3, 'a'), message(4, 'b'))
    t.feed.start()
    await turns()
    const stopped = t.feed.stop({ graceMs: 5000 })
    await hand.finish(2)
    expect(hand.running()).toEqual([4])
    await t.clock.advance(5000)
    expect(await stopped).toEqual({ unfinished: 1 })
    expect(await t.feed.ended).toEqual({ reason: 'stopped' })
    expect([...t.journal.unfinished()]).toEqual([[4, 1]])
    expect(hand.ran.map(({ event }) => event.id)).toEqual([2, 4])
  })

  it('stop resolves as soon as the running handlers have finished', async () => {
    const hand = byHand()
    const t = testFeed({ run: hand.run })
    t.source.add(message(2))
    t.feed.start()
    await turns()
    const stopped = t.feed.stop({ graceMs: 5000 })
    await hand.finish(2)
    expect(await stopped).toEqual({ unfinished: 0 })
    expect(t.journal.cursor()?.after).toBe(2)
    t.journal.close()
    expect(t.clock.waiting).toBe(0)
  })
})

describe('after a crash', () => {
  it('repeats only events that were running, marks them redelivered, sets them aside after three attempts, and replays on request', async () => {
    const clock = new VirtualClock()
    const source = new EventSource()
    source.add(message(2, 'a'), message(3, 'a'), message(4, 'b'))
    const journal = openJournal({ file: ':memory:', baseUrl: 'x', botId: 'b', clock })
    const life = async (run?: (d: Delivery) => Promise<void>) => {
      const t = testFeed({ clock, source, journal, ...(run && { run }) })
      t.feed.start()
      await turns(20)
      await t.feed.stop({ graceMs: 0 })
      return t
    }
    const attempts: string[] = []
    const dies = (d: Delivery) => {
      attempts.push(`${d.event.id}:${d.attempt}:${d.attempt > 1}`)
      return d.event.id === 2 ? new Promise<void>(() => {}) : Promise.resolve()
    }
    await life(dies)
    await life(dies)
    await life(dies)
    expect(attempts).toEqual(['2:1:false', '4:1:false', '2:2:true', '2:3:true'])
    const last = await life()
    expect(last.ran.map((d) => [d.event.id, d.attempt])).toEqual([[3, 1]])
    expect(last.codes()).toEqual(['event_set_aside'])
    expect(journal.listSetAside()).toMatchObject([
      { event: { id: 2 }, reason: expect.stringContaining('3 times') as string },
    ])

    const again = testFeed({ clock, source, journal })
    again.feed.start()
    await turns()
    expect(await Promise.all([again.feed.replay(2), again.feed.replay(2)])).toEqual([true, false])
    expect(await again.feed.replay(2)).toBe(false)
    await again.feed.whenIdle()
    expect(again.ran.map((d) => [d.event.id, d.attempt])).toEqual([[2, 1]])
    expect(journal.listSetAside()).toEqual([])
    await again.feed.stop({ graceMs: 0 })
  })

  it('reports an event that was running before the ids started again', async () => {
    const expired: EventKey[] = []
    const t = testFeed({ expired: (key) => void expired.push(key) })
    t.journal.commit({ cursor: { after: 50, savedAtMs: t.clock.now() }, started: [{ key: 51, attempt: 1 }] })
    t.source.add(message(3))
    t.feed.start()
    await turns()
    expect(t.codes()).toEqual(['feed_reset', 'event_expired'])
    expect(expired).toEqual([51])
    await t.feed.stop({ graceMs: 0 })
    expect(t.journal.unfinished().size).toBe(0)
  })

  it('reports an event that was running and that the service has dropped since', async () => {
    const t = testFeed()
    t.journal.commit({ cursor: { after: 5, savedAtMs: t.clock.now() }, started: [{ key: 6, attempt: 1 }] })
    t.source.add(message(9))
    t.feed.start()
    await turns()
    expect(t.codes()).toEqual(['event_expired'])
    expect(t.ids()).toEqual([9])
    await t.feed.stop({ graceMs: 0 })
    expect(t.journal.unfinished().size).toBe(0)
  })
})
