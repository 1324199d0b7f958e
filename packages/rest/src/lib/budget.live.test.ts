import { sleep, VirtualClock } from '@botwright/clock'
import { describe, expect, test } from 'vitest'
import { answer, drive, hangUp, id, type Behaviour } from './bad-service.test.fixture.ts'
import { MessageBudget, type SendTimes } from './budget.ts'
import { createCall } from './calls/http-call.ts'
import { limitSuite } from './limit-suite.test.fixture.ts'
import { rig } from './rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const channel_id = id(9)

/** The service's own count (decisions row 40): at most 30 messages in any 60 s, by their arrival. */
function slidingWindow(clock: VirtualClock) {
  const times: number[] = []
  const state = { taken: 0, refused: 0 }
  const take = (): boolean => {
    const now = clock.monotonic()
    while (times.length > 0 && times[0]! <= now - 60_000) times.shift()
    if (times.length >= 30) {
      state.refused++
      return false
    }
    times.push(now)
    state.taken++
    return true
  }
  return { state, take }
}

/** Random numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const budgetOf = (
  clock: VirtualClock,
  more: { sendTimes?: SendTimes; queueLimit?: number; onSaveFailed?: () => void } = {},
) => new MessageBudget({ clock, requests: 30, seconds: 60, timeoutMs: 15_000, ...more })

describe('no 429 responses', () => {
  test('300 messages in one burst over HTTP: all are sent [spec: 8/messages, decisions/40]', async () => {
    let take = (): boolean => true
    const behaviour: Behaviour = (response, seen) =>
      take() ? answer(200, { id: id(1) })(response, seen) : answer(429, {}, { 'retry-after': '1' })(response, seen)
    await using it = await rig([behaviour])
    const service = slidingWindow(it.clock)
    take = service.take
    const all = Array.from({ length: 300 }, (_, i) =>
      it.call('messages.create', { channel_id, content: `message ${i}` }),
    )
    expect(it.call.stats()).toMatchObject({ used: 30, waiting: 270 })
    await drive(it.clock, Promise.all(all), 1000)
    expect(service.state).toEqual({ taken: 300, refused: 0 })
    expect(it.call.stats()).toMatchObject({ requests: 300, rateLimited: 0, retries: 0, waiting: 0 })
    // In the order of the calls.
    expect(it.seen.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual(
      Array.from({ length: 300 }, (_, i) => ({ content: `message ${i}` })),
    )
    expect(it.clock.monotonic()).toBeLessThan(11 * 60_000)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('with random latency (seed %d)', async (seed) => {
    const clock = new VirtualClock()
    const random = seeded(seed)
    const service = slidingWindow(clock)
    const budget = budgetOf(clock)
    const latency = () => sleep(clock, 10 + random() * 1990)
    const send = async () => {
      await sleep(clock, random() * 120_000)
      await budget.take((['answer', 'reply', 'broadcast'] as const)[Math.floor(random() * 3)]!)
      await latency()
      service.take()
      await latency()
      budget.release(true)
    }
    const all = Promise.all(Array.from({ length: 300 }, send))
    await clock.advance(30 * 60_000)
    await all
    expect(service.state).toEqual({ taken: 300, refused: 0 })
    expect(clock.waiting).toBe(0)
  })

  test.each([1, 2, 3])('across restarts within the burst, with saved send times (seed %d)', async (seed) => {
    const clock = new VirtualClock()
    const random = seeded(seed)
    const service = slidingWindow(clock)
    let kept: number[] = []
    const sendTimes: SendTimes = {
      load: () => JSON.parse(JSON.stringify(kept)) as number[],
      save: (times) => (kept = [...times]),
    }
    for (let restart = 0; restart < 6; restart++) {
      const budget = budgetOf(clock, { sendTimes })
      let dead = false
      const send = async () => {
        await budget.take('reply')
        if (dead) return
        await sleep(clock, random() * 500)
        // Messages in flight when the process ended still arrive.
        service.take()
        await sleep(clock, random() * 500)
        if (!dead) budget.release(true)
      }
      const all = Promise.allSettled(Array.from({ length: 100 }, send))
      await clock.advance(500 + random() * 90_000)
      // The process ends here and saves nothing else; its last requests take half a second to arrive.
      const last = kept
      dead = true
      budget.close()
      kept = last
      await clock.advance(1000)
      kept = last
      await all
    }
    expect(service.state.refused).toBe(0)
    expect(service.state.taken).toBeGreaterThan(100)
  })

  test('counts a message in flight when the process was killed from its arrival, which may be after the restart', async () => {
    const clock = new VirtualClock()
    let kept: number[] = []
    const sendTimes: SendTimes = { load: () => kept, save: (times) => (kept = [...times]) }
    const killed = budgetOf(clock, { sendTimes })
    await killed.take('reply')
    const next = budgetOf(clock, { sendTimes })
    // A message that the new process sends itself ends earlier.
    await next.take('reply')
    next.release(true)
    await clock.advance(60_001)
    expect(next.used).toBe(1)
    await clock.advance(15_000)
    expect(next.used).toBe(0)
  })

  test('saves the later time of a message that is sent again after a refusal', async () => {
    const kept: number[][] = []
    const sendTimes: SendTimes = { load: () => [], save: (times) => void kept.push([...times]) }
    const refusal = answer(429, {}, { 'retry-after': '20' })
    await using it = await rig([refusal, answer(200, { id: id(1) })], { sendTimes })
    const startMs = it.clock.now()
    await drive(it.clock, it.call('messages.create', { channel_id, content: 'a' }))
    expect(kept[0]).toEqual([startMs + 1e9])
    // It has no slot while it waits.
    expect(kept[1]).toEqual([])
    expect(kept[2]![0]).toBeGreaterThanOrEqual(startMs + 1e9 + 20_000)
    expect(kept).toHaveLength(4)
  })

  test('a message whose outcome is unknown after a refusal counts', async () => {
    await using it = await rig([answer(429, {}, { 'retry-after': '20' }), hangUp])
    const sent = drive(it.clock, it.call('messages.create', { channel_id, content: 'a' }))
    expect(await sent).toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
    expect(it.call.stats()).toMatchObject({ requests: 2, used: 1 })
  })

  test('does not repeat a wait of less than a millisecond forever', async () => {
    const clock = new VirtualClock()
    await clock.advance(0.1 + 0.2)
    const budget = budgetOf(clock)
    for (let i = 0; i < 30; i++) {
      await budget.take('reply')
      await clock.advance(1 / 3)
      budget.release(true)
    }
    const all = Promise.all(Array.from({ length: 30 }, async () => budget.take('reply')))
    await clock.advance(61_000)
    await all
    expect(budget.waiting).toBe(0)
  })

  test('without saved times, the same restart would get a 429', async () => {
    const clock = new VirtualClock()
    const service = slidingWindow(clock)
    for (let restart = 0; restart < 2; restart++) {
      const budget = budgetOf(clock)
      for (let i = 0; i < 30; i++) {
        await budget.take('reply')
        service.take()
        budget.release(true)
      }
    }
    expect(service.state.refused).toBe(30)
  })
})

limitSuite('the budget of one process', () => {
  const clock = new VirtualClock()
  return {
    seconds: 60,
    make: (more) => budgetOf(clock, more),
    pass: (ms) => clock.advance(ms),
    nowMs: () => clock.monotonic(),
    wait: (ms) => sleep(clock, ms),
  }
})

describe('waiting', () => {
  test('a closed budget has no waiting messages and no timer', async () => {
    const clock = new VirtualClock()
    const budget = budgetOf(clock)
    for (let i = 0; i < 30; i++) await budget.take('reply')
    const turn = budget.take('broadcast')
    budget.release(true)
    expect([budget.waiting, clock.waiting]).toEqual([1, 1])
    budget.close()
    await expect(turn).rejects.toMatchObject({ code: 'ERR_ABORTED', endpoint: 'messages.create' })
    expect([budget.waiting, clock.waiting]).toEqual([0, 0])
  })

  test('the last waiting message that is aborted leaves no timer, which would keep the process alive', async () => {
    const clock = new VirtualClock()
    const budget = budgetOf(clock)
    for (let i = 0; i < 30; i++) await budget.take('reply')
    const aborter = new AbortController()
    const turn = budget.take('reply', aborter.signal)
    budget.release(true)
    aborter.abort()
    await expect(turn).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    expect([budget.waiting, clock.waiting]).toEqual([0, 0])
  })

  test('the time until a slot is free is that of the oldest, or of the pause', async () => {
    const clock = new VirtualClock()
    const budget = budgetOf(clock)
    expect(budget.waitMs).toBe(0)
    await budget.take('reply')
    expect(budget.waitMs).toBe(0)
    budget.release(true)
    await clock.advance(1000)
    expect(budget.waitMs).toBe(59_001)
    budget.pause(70_000)
    expect(budget.waitMs).toBe(70_000)
    budget.pause(1000)
    expect(budget.waitMs).toBe(70_000)
    await clock.advance(59_001)
    expect(budget.used).toBe(0)
    expect(budget.waitMs).toBe(10_999)
  })

  test('a slot is free at the time for which it was announced, also at a fraction of a millisecond', async () => {
    const clock = new VirtualClock()
    const budget = budgetOf(clock)
    await clock.advance(0.1)
    await budget.take('reply')
    budget.release(true)
    await clock.advance(budget.waitMs)
    expect(budget.used).toBe(0)
  })

  test('by default, 20,000 messages may wait', slow, async () => {
    const clock = new VirtualClock()
    const budget = budgetOf(clock)
    budget.pause(1e9)
    const turns = Array.from({ length: 20_000 }, async () => budget.take('reply'))
    expect(budget.waiting).toBe(20_000)
    expect(() => budget.take('answer')).toThrow(expect.objectContaining({ code: 'ERR_QUEUE_FULL', status: 0 }))
    const ended = Promise.allSettled(turns)
    budget.close()
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
  })

  test('reports send times that cannot be read or saved, and keeps sending', async () => {
    const told: string[] = []
    const fail = () => {
      throw new Error('disk full')
    }
    await using it = await rig([answer(200, { id: id(1) })])
    const call = createCall({
      baseUrl: 'http://127.0.0.1:1/v1',
      token: 't',
      clock: it.clock,
      sendTimes: { load: fail, save: fail },
      onReport: ({ code }) => told.push(code),
    })
    expect(told).toEqual([])
    expect(call.stats().used).toBe(0)
    expect(told).toEqual(['send-times'])
    await call[Symbol.asyncDispose]()
    const budget = budgetOf(it.clock, {
      sendTimes: { load: () => [Number.NaN, 1, it.clock.now() + 1e9], save: () => undefined },
    })
    // Invalid and old times are dropped. A time further in the future than a request can be in flight is capped.
    expect(budget.used).toBe(1)
    await it.clock.advance(75_000)
    expect(budget.used).toBe(1)
    await it.clock.advance(1)
    expect(budget.used).toBe(0)
  })
})
