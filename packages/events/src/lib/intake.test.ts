import { describe, expect, it, vi } from 'vitest'
import { type Clock, VirtualClock } from '@botwright/clock'
import { type Delivery, type Journal, openJournal } from '../index.ts'
import { EventSource, message, testFeed, turns } from './rig.test.fixture.ts'

/** Handlers that the test ends. */
function handlers() {
  const open = new Map<number, () => void>()
  return {
    run: ({ event: { id } }: Delivery) => new Promise<void>((resolve) => open.set(id, resolve)),
    end: (id: number) => {
      open.get(id)!()
      open.delete(id)
    },
    running: () => [...open.keys()],
  }
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return Promise.race([settled, turns().then(() => false)])
}

const channels = (count: number) => Array.from({ length: count }, (_, n) => message(n + 2, `c${n}`))

/** A journal whose writes the test refuses. */
function fragileJournal(clock: VirtualClock) {
  const journal = openJournal({ file: ':memory:', baseUrl: 'x', botId: 'b', clock })
  const state = { broken: false, atMs: [] as number[] }
  const fragile: Journal = {
    ...journal,
    commit: (group) => {
      state.atMs.push(clock.monotonic())
      return !state.broken && journal.commit(group)
    },
  }
  return { journal: fragile, state }
}

describe('limits', () => {
  it('runs 256 handlers at the same time, and polls while at most 1000 events wait', async () => {
    const hand = handlers()
    const t = testFeed({ run: hand.run })
    t.source.pageSize = 2000
    t.source.add(...channels(1257))
    t.feed.start()
    await turns()
    expect(hand.running()).toHaveLength(256)
    expect(t.feed.stats()).toMatchObject({ running: 256, waiting: 1001, received: 1257, started: 256, finished: 0 })
    expect(t.source.asked).toHaveLength(1)
    hand.end(2)
    await turns()
    expect(t.feed.stats()).toMatchObject({ running: 256, waiting: 1000, finished: 1 })
    expect(t.source.asked).toHaveLength(2)
    await t.feed.stop({ graceMs: 0 })
  })

  it('a stop ends the wait for room', async () => {
    const t = testFeed({ run: handlers().run, maxRunning: 1, maxWaiting: 0 })
    t.source.add(...channels(3))
    t.feed.start()
    await turns()
    expect(t.source.asked).toHaveLength(1)
    await t.feed.stop({ graceMs: 0 })
    expect(await t.feed.ended).toEqual({ reason: 'stopped' })
    expect(t.source.asked).toHaveLength(1)
  })
})

describe('idle', () => {
  it('is not reached while a handler runs, or while an event waits for the journal', async () => {
    const hand = handlers()
    const clock = new VirtualClock()
    const { journal, state } = fragileJournal(clock)
    const t = testFeed({ run: hand.run, clock, journal })
    t.feed.start()
    await turns()
    expect(await isSettled(t.feed.whenIdle())).toBe(true)
    t.source.add(message(2))
    await turns()
    const afterRun = t.feed.whenIdle()
    expect(await isSettled(afterRun)).toBe(false)
    hand.end(2)
    expect(await isSettled(afterRun)).toBe(true)
    expect(t.journal.unfinished().size).toBe(0)
    // After a failed write.
    state.broken = true
    t.source.add(message(3))
    await turns()
    const afterWrite = t.feed.whenIdle()
    expect(await isSettled(afterWrite)).toBe(false)
    expect(hand.running()).toEqual([])
    state.broken = false
    await clock.advance(1000)
    hand.end(3)
    expect(await isSettled(afterWrite)).toBe(true)
    await t.feed.stop({ graceMs: 0 })
  })
})

describe('the journal', () => {
  it('is written 5 ms after a handler has ended', async () => {
    const hand = handlers()
    const t = testFeed({ run: hand.run })
    t.source.add(message(2))
    t.feed.start()
    await turns()
    hand.end(2)
    await t.clock.advance(4)
    expect(t.journal.cursor()?.after).toBe(1)
    await t.clock.advance(1)
    expect(t.journal.cursor()?.after).toBe(2)
    await t.feed.stop({ graceMs: 0 })
  })

  it('is written before the process may end: its timers keep the process alive', async () => {
    const clock = new VirtualClock()
    const keepAlive: unknown[] = []
    const watched: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, fire, options) => {
        if (ms < 1000) keepAlive.push([ms, options?.keepAlive])
        return clock.after(ms, fire)
      },
    }
    const t = testFeed({ clock: watched, delivery: 'both', start: 'now' })
    t.feed.start()
    await turns()
    await t.feed.offer(message(5))
    t.source.add(message(6))
    await turns()
    expect(keepAlive).toEqual([
      [500, undefined],
      [5, true],
    ])
    await t.feed.stop({ graceMs: 0 })
  })

  it('is tried again after 100 ms, then later and later up to 5 s, until it is writable', async () => {
    const clock = new VirtualClock()
    const { journal, state } = fragileJournal(clock)
    const t = testFeed({ clock, journal })
    t.feed.start()
    await turns()
    const waitsOf = async (forMs: number) => {
      state.broken = true
      const fromMs = clock.monotonic()
      state.atMs.length = 0
      t.source.add(message((t.source.events.at(-1)?.id ?? 1) + 1))
      await clock.advance(forMs)
      expect(state.atMs[0]).toBe(fromMs)
      return state.atMs.slice(1).map((atMs, n) => atMs - state.atMs[n]!)
    }
    expect(await waitsOf(19_000)).toEqual([100, 250, 500, 1000, 2000, 5000, 5000, 5000])
    expect(t.ids()).toEqual([])
    state.broken = false
    await clock.advance(5000)
    expect(t.ids()).toEqual([2])
    // The next failure begins with the shortest wait.
    expect(await waitsOf(1000)).toEqual([100, 250, 500])
    await t.feed.stop({ graceMs: 0 })
  })

  it('saves the time of an idle position once a minute', async () => {
    const clock = new VirtualClock()
    const { journal, state } = fragileJournal(clock)
    const t = testFeed({
      clock,
      journal,
      listEvents: () => new Promise((resolve) => clock.after(1000, () => resolve({ events: [], last: 7 }))),
    })
    t.feed.start()
    await clock.advance(2000)
    state.atMs.length = 0
    await clock.advance(180_000)
    expect(state.atMs).toHaveLength(3)
    expect(state.atMs[1]! - state.atMs[0]!).toBe(60_000)
    await t.feed.stop({ graceMs: 0 })
  })
})

describe('after a crash', () => {
  it('reports an event that was running if a page reaches it without returning it', async () => {
    const t = testFeed({
      listEvents: async ({ after }, signal) =>
        after < 6
          ? { events: after === 0 ? [] : [message(5)], last: after === 0 ? 6 : 6 }
          : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    })
    const started = [5, 6, 9].map((id) => ({ key: id, attempt: 1 }))
    t.journal.commit({ cursor: { after: 4, savedAtMs: t.clock.now() }, started })
    t.feed.start()
    await turns()
    expect(t.ran.map(({ event, attempt }) => [event.id, attempt])).toEqual([[5, 2]])
    expect(t.reports).toMatchObject([{ code: 'event_expired', level: 'warn', id: 6 }])
    await t.feed.stop({ graceMs: 0 })
    expect([...t.journal.unfinished().keys()]).toEqual([9])
  })

  it('sets an event aside after the allowed number of attempts, and passes it to the caller', async () => {
    const aside: [number, string][] = []
    const t = testFeed({ handlerAttempts: 2, setAside: ({ event: { id } }, reason) => aside.push([id, reason]) })
    t.journal.commit({
      cursor: { after: 1, savedAtMs: t.clock.now() },
      started: [
        { key: 2, attempt: 1 },
        { key: 3, attempt: 2 },
      ],
    })
    t.source.add(message(2), message(3))
    t.feed.start()
    await turns()
    expect(t.ran.map(({ event, attempt }) => [event.id, attempt])).toEqual([[2, 2]])
    const reason = 'the process died 2 times while running it'
    expect(aside).toEqual([[3, reason]])
    expect(t.reports).toMatchObject([{ code: 'event_set_aside', level: 'error', id: 3, type: 'message', attempts: 2 }])
    expect(t.journal.listSetAside()).toEqual([{ event: message(3), reason, atMs: t.clock.now() }])
    expect(t.feed.stats()).toMatchObject({ setAside: 1, received: 2, finished: 1 })
    // A later write does not set it aside again.
    expect(await t.feed.replay(3)).toBe(true)
    t.source.add(message(4))
    await t.feed.whenIdle()
    expect(t.ids()).toEqual([2, 3, 4])
    expect(t.journal.listSetAside()).toEqual([])
    await t.feed.stop({ graceMs: 0 })
    expect(t.journal.cursor()?.after).toBe(4)
  })
})

describe('events from the webhook', () => {
  const bothFeeds = async (options: Parameters<typeof testFeed>[0] = {}) => {
    const t = testFeed({ delivery: 'both', start: 'now', ...options })
    t.source.add(message(10))
    t.feed.start()
    await turns()
    return t
  }

  it('wait 500 ms for a poll that returns the events before them', async () => {
    const t = await bothFeeds()
    await t.feed.offer(message(12))
    expect(t.feed.stats()).toMatchObject({ waiting: 1, received: 1 })
    await t.clock.advance(499)
    expect(t.ids()).toEqual([])
    await t.clock.advance(1)
    expect(t.ids()).toEqual([12])
    await t.feed.stop({ graceMs: 0 })
  })

  it('are not finished while they wait, and a stop ends the wait', async () => {
    const t = await bothFeeds()
    for (const id of [12, 13]) await t.feed.offer(message(id))
    const idle = t.feed.whenIdle()
    expect(await isSettled(idle)).toBe(false)
    await t.feed.stop({ graceMs: 0 })
    t.journal.close()
    expect(t.clock.waiting).toBe(0)
    expect(t.ids()).toEqual([])
  })

  it('run in their place of the page', async () => {
    const t = await bothFeeds()
    await Promise.all([14, 12].map((id) => t.feed.offer(message(id))))
    t.source.add(message(11), message(12), message(13))
    await turns()
    expect(t.ids()).toEqual([11, 12, 13])
    await t.clock.advance(500)
    expect(t.ids()).toEqual([11, 12, 13, 14])
    expect(t.feed.stats()).toMatchObject({ received: 4, duplicates: 1 })
    await t.feed.stop({ graceMs: 0 })
  })

  it('run at once if a poll has already passed their id', async () => {
    const t = await bothFeeds()
    t.source.add(message(20))
    await turns()
    await t.feed.offer(message(15))
    await turns()
    expect(t.ids()).toEqual([20, 15])
    await t.feed.stop({ graceMs: 0 })
  })

  it('are stored once, before the offer resolves; a copy that arrives meanwhile waits for the same write', async () => {
    const clock = new VirtualClock()
    const { journal, state } = fragileJournal(clock)
    const t = testFeed({ clock, journal, delivery: 'webhook', start: 'now', run: handlers().run })
    t.feed.start()
    await turns()
    state.broken = true
    const offers = [t.feed.offer(message(5)), t.feed.offer(message(5))]
    for (const offer of offers) expect(await isSettled(offer)).toBe(false)
    state.broken = false
    await clock.advance(100)
    await Promise.all(offers)
    expect(journal.bodies()).toEqual([message(5)])
    // Known and stored: it resolves at once.
    state.broken = true
    await t.feed.offer(message(5))
    expect(t.feed.stats()).toMatchObject({ received: 1, duplicates: 2 })
    await t.feed.stop({ graceMs: 0 })
  })

  it('are refused if the feed stops before they are stored', async () => {
    const clock = new VirtualClock()
    const { journal, state } = fragileJournal(clock)
    const t = testFeed({ clock, journal, delivery: 'webhook', start: 'now' })
    t.feed.start()
    await turns()
    state.broken = true
    const offer = t.feed.offer(message(5))
    await turns()
    await Promise.all([
      expect(offer).rejects.toThrow('the feed stopped before the event was stored'),
      t.feed.stop({ graceMs: 0 }),
    ])
    expect(clock.waiting).toBe(0)
    await expect(t.feed.offer({ ...message(5), id: 0 })).rejects.toThrow(TypeError)
  })
})

it('counts events, and names the time of the oldest that is not finished', async () => {
  const hand = handlers()
  const t = testFeed({ run: hand.run })
  const at = (id: number, created_at: string) => ({ ...message(id, `c${id}`), created_at })
  t.source.add(at(2, '2026-01-01T00:00:01.000Z'), at(3, '2026-01-01T00:00:02.000Z'))
  t.feed.start()
  await turns()
  t.source.add(message(2), at(4, '2026-01-01T00:00:03.000Z'))
  await turns()
  expect(t.feed.stats()).toEqual({
    ...{ polls: 3, pollFailures: 0, malformed: 0, lastPollMs: 0 },
    ...{ received: 3, duplicates: 0, started: 3, finished: 0, setAside: 0 },
    ...{ waiting: 0, running: 3, cursor: 1, oldest: '2026-01-01T00:00:01.000Z' },
  })
  hand.end(2)
  await turns()
  expect(t.feed.stats()).toMatchObject({ oldest: '2026-01-01T00:00:02.000Z', finished: 1, running: 2 })
  hand.end(3)
  hand.end(4)
  await turns()
  expect(t.feed.stats()).not.toHaveProperty('oldest')
  await t.feed.stop({ graceMs: 0 })
})

it('a feed that continues polls from its saved position, whose time it keeps until the first page', async () => {
  const clock = new VirtualClock()
  const source = new EventSource()
  source.add(message(5))
  const { journal } = testFeed({ clock, source })
  journal.commit({ cursor: { after: 5, savedAtMs: clock.now() - 1000 } })
  const t = testFeed({ clock, source, journal })
  expect(t.feed.stats()).toMatchObject({ cursor: 0, polls: 0 })
  t.feed.start()
  expect(() => t.feed.start()).toThrow('already started')
  await turns()
  expect(t.feed.stats()).toMatchObject({ cursor: 5, polls: 2 })
  expect(journal.cursor()).toEqual({ after: 5, savedAtMs: clock.now() - 1000 })
  await t.feed.stop({ graceMs: 0 })
})

it('does nothing more after a stop, also if events wait', async () => {
  const hand = handlers()
  const t = testFeed({ run: hand.run })
  t.source.add(message(2, 'a'), message(3, 'a'))
  t.feed.start()
  await turns()
  const stopping = t.feed.stop({ graceMs: 10_000 })
  hand.end(2)
  expect(await stopping).toEqual({ unfinished: 0 })
  using immediates = vi.spyOn(globalThis, 'setImmediate')
  await turns(20)
  expect(immediates.mock.calls).toHaveLength(20)
})

it('a stop stores the ends of events that could not be stored before', async () => {
  const clock = new VirtualClock()
  const { journal, state } = fragileJournal(clock)
  const hand = handlers()
  const t = testFeed({ run: hand.run, clock, journal })
  t.source.add(message(2))
  t.feed.start()
  await turns()
  state.broken = true
  hand.end(2)
  await turns()
  await clock.advance(10)
  state.broken = false
  await t.feed.stop({ graceMs: 0 })
  expect([...journal.unfinished()]).toEqual([])
})
