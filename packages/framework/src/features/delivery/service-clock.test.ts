import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MissedClicks, ServiceClock } from './service-clock.ts'

const OPEN_MS = 15 * 60_000

/** A service, and a host whose clock is ahead of it by `aheadMs`, which can be changed. */
class Rig {
  readonly elapsed = new VirtualClock(0)
  readonly startMs = Date.UTC(2026, 0, 1)
  saved = 0
  aheadMs: number
  readonly host
  service!: ServiceClock
  missed!: MissedClicks

  constructor(aheadMs: number, savedAtMs = 0) {
    this.aheadMs = aheadMs
    const { elapsed } = this
    this.host = {
      now: () => this.now() + this.aheadMs,
      monotonic: () => elapsed.monotonic(),
      after: elapsed.after.bind(elapsed),
    }
    this.restart(savedAtMs)
  }

  /** Another process of the bot. */
  restart(savedAtMs: number): void {
    const saved = { read: () => this.saved, write: (aheadMs: number) => void (this.saved = aheadMs) }
    this.service = new ServiceClock(this.host, saved)
    this.missed = new MissedClicks(this.service, savedAtMs)
  }

  /** The service's time. */
  now(): number {
    return this.startMs + this.elapsed.monotonic()
  }

  /** A poll that took `ms` and ended with events of these ages, in milliseconds. */
  async poll(after: number, ms: number, ages: number[], last = after + ages.length): Promise<void> {
    let answer!: (response: unknown) => void
    const poll = this.missed.watch(after, new Promise((resolve) => (answer = resolve)))
    await this.elapsed.advance(ms)
    const events = ages.map((age) => ({ created_at: new Date(this.now() - age).toISOString() }))
    answer({ events, last })
    await poll
  }

  async failedPoll(after: number): Promise<void> {
    await this.missed.watch(after, Promise.reject(new Error('no connection'))).catch(() => {})
  }

  isMissed(ageMs: number): boolean {
    return this.missed.includes(this.now() - ageMs)
  }
}

test.each([0, 4000, 16 * 60_000, -16 * 60_000])(
  'a click after the start was not missed; host %d ms ahead',
  async (aheadMs) => {
    const rig = new Rig(aheadMs)
    await rig.poll(0, 10, [], 1000)
    await rig.poll(1000, 5, [2])
    expect(rig.isMissed(2)).toBe(false)
    expect(rig.service.now()).toBe(rig.now() - 2)
    expect(rig.service.leftMs(rig.now() + OPEN_MS)).toBe(OPEN_MS + 2)
  },
)

test.each([0, 4000, 16 * 60_000])(
  'the first event of a resumed feed, after a wait; host %d ms ahead',
  async (aheadMs) => {
    const rig = new Rig(aheadMs, Date.UTC(2025, 11, 31))
    await rig.poll(0, 10, [], 1000)
    await rig.poll(990, 10, [90_000, 80_000], 1000)
    // By a right clock, these were made while the bot was offline.
    expect(rig.isMissed(90_000)).toBe(true)
    await rig.poll(1000, 20_000, [1])
    expect(rig.isMissed(1)).toBe(false)
  },
)

test.each([0, 4000, 16 * 60_000, -4000])('a failed poll before the first event; host %d ms ahead', async (aheadMs) => {
  const rig = new Rig(aheadMs)
  await rig.poll(0, 10, [], 1000)
  await rig.failedPoll(1000)
  await rig.poll(1000, 8000, [1])
  expect(rig.isMissed(1)).toBe(false)
})

test.each([0, 4000, 16 * 60_000, -16 * 60_000])(
  'after polls failed, the age of a click decides; host %d ms ahead',
  async (aheadMs) => {
    const rig = new Rig(aheadMs)
    await rig.poll(0, 10, [], 1000)
    await rig.poll(1000, 3000, [1])
    await rig.failedPoll(1001)
    await rig.elapsed.advance(10_000)
    // A slow connection, not a wait.
    await rig.poll(1001, 2000, [8000, 2500])
    expect([8000, 3100, 2500, 20_000].map((age) => rig.isMissed(age))).toEqual([true, true, false, false])
    await rig.poll(1003, 100, [1])
    expect(rig.isMissed(3100)).toBe(false)
  },
)

test.each([0, 4000, -16 * 60_000])(
  'a slow response with the backlog is not a wait, so missed clicks stay missed; host %d ms ahead',
  async (aheadMs) => {
    const rig = new Rig(aheadMs, Date.UTC(2025, 11, 31))
    await rig.poll(0, 10, [], 1200)
    await rig.failedPoll(1000)
    // A full page of events, which are two hours old, and the rest of them.
    await rig.poll(
      1000,
      1500,
      Array.from({ length: 50 }, () => 7_200_000),
      1100,
    )
    expect(rig.service.isLearned).toBe(false)
    expect(rig.isMissed(7_200_000)).toBe(true)
    await rig.poll(1100, 1500, [3_600_000], 1200)
    expect(rig.service.isLearned).toBe(false)
    expect(rig.isMissed(3_600_000)).toBe(true)
    await rig.poll(1200, 3000, [1])
    expect(rig.isMissed(1)).toBe(false)
    expect(rig.service.now()).toBe(rig.now() - 1)
  },
)

test('a small page of the backlog does not end with an event of this moment', async () => {
  const rig = new Rig(0)
  await rig.poll(0, 10, [], 1200)
  for (const after of [1000, 1020, 1040]) {
    await rig.poll(after, 10, [7_200_000], after + 20)
    expect(rig.isMissed(7_200_000)).toBe(true)
  }
  expect(rig.service.now()).toBe(rig.now())
})

test('after the ids of the service have started again, waits are known as before', async () => {
  const rig = new Rig(-16 * 60_000)
  await rig.poll(0, 10, [], 1000)
  await rig.poll(1000, 10, [], 7)
  await rig.poll(7, 3000, [1])
  expect(rig.service.now()).toBe(rig.now() - 1)
})

test('a jump of the host clock does not change the time of the service', async () => {
  const rig = new Rig(0)
  await rig.poll(0, 10, [], 1000)
  await rig.poll(1000, 3000, [0])
  for (const jumpMs of [3_600_000, -7_200_000]) {
    rig.aheadMs += jumpMs
    await rig.failedPoll(1001)
    await rig.poll(1001, 10, [500], 1001)
    expect(rig.isMissed(500)).toBe(false)
    expect(rig.service.now()).toBe(rig.now())
  }
})

test('after a suspend, in which the monotonic clock stopped, the time of the service is at least that of the newest event', async () => {
  const rig = new Rig(0)
  await rig.poll(0, 10, [], 1000)
  await rig.poll(1000, 3000, [0])
  const asleepMs = 3_600_000
  await rig.failedPoll(1001)
  const { now } = rig
  rig.now = () => now.call(rig) + asleepMs
  await rig.poll(1001, 10, [50_000, 10_000], 1003)
  expect(rig.isMissed(50_000)).toBe(true)
  await rig.poll(1003, 10, [0])
  expect(rig.service.now()).toBe(rig.now())
})

test('a host ahead of the service stays corrected for the backlog of the next start', async () => {
  const rig = new Rig(4000)
  await rig.poll(0, 10, [], 1000)
  await rig.poll(1000, 3000, [0])
  expect(rig.saved).toBe(-4000)
  rig.restart(rig.host.now())
  await rig.elapsed.advance(5000)
  await rig.poll(0, 10, [], 1002)
  await rig.poll(1001, 10, [1500], 1002)
  expect([1500, 2900, 3100, 4900, 5500].map((age) => rig.isMissed(age))).toEqual([false, false, true, true, false])
})

test('ignores an invalid time, and knows nothing without a saved difference', async () => {
  const { host } = new Rig(16 * 60_000)
  const service = new ServiceClock(host)
  expect(service.leftMs(0)).toBe(Infinity)
  service.learn(NaN, true)
  expect(service.isLearned).toBe(false)
  service.pushed({
    id: 1,
    type: 'interaction',
    data: { expires_at: new Date(OPEN_MS + 5000).toISOString() },
    created_at: '',
  })
  expect([service.now(), service.leftMs(OPEN_MS + 5000)]).toEqual([5000, OPEN_MS])
})
