import { type Clock, systemClock, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { StoreLimits } from './store-limits.ts'

interface LimitRig {
  seconds: number
  make: (more?: { queueLimit?: number }) => StoreLimits
  pass: (ms: number) => Promise<void>
  nowMs: () => number
  wait: (ms: number) => Promise<void>
}
// The suite of the port is in the package that owns it, and is not published: there is no name to import it by.
const suite = new URL('../../../../rest/src/lib/limit-suite.test.fixture.ts', import.meta.url).href
const { limitSuite } = (await import(suite)) as { limitSuite: (name: string, start: () => LimitRig) => void }

limitSuite('the message budget in the store', () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  return {
    // With the margin for the clocks of two hosts.
    seconds: 60.05,
    make: (more) => new StoreLimits({ store, clock, seconds: 60, ...more }),
    pass: (ms) => clock.advance(ms),
    nowMs: () => clock.now(),
    wait: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
  }
})

test('invocations share the slots, and those of one that was ended expire', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const options = { store, clock, requests: 3, seconds: 60, timeoutMs: 15_000 }
  const [one, other] = [new StoreLimits(options), new StoreLimits(options)]
  for (const limits of [one, one, other]) await limits.take('reply')
  other.release(true)
  await other.stored()
  const late = new StoreLimits(options)
  let hasSlot = false
  const taking = late.take('answer').then(() => (hasSlot = true))
  await expect.poll(() => late.waiting).toBe(1)
  expect(late.used).toBe(3)
  await clock.advance(59_000)
  expect(hasSlot).toBe(false)
  await clock.advance(2000)
  await taking
  late.release(true)
  // `one` was ended while its messages were under way: they may have arrived until their time limit.
  await clock.advance(15_000)
  const last = new StoreLimits(options)
  for (let i = 0; i < 2; i++) await last.take('reply')
  expect(last.used).toBe(3)
})

test('invocations that begin at the same time each get a slot of their own', async () => {
  const store = new MemoryStore(systemClock)
  const all = Array.from({ length: 20 }, () => new StoreLimits({ store, clock: systemClock }))
  await Promise.all(all.map((limits) => limits.take('reply')))
  const last = new StoreLimits({ store, clock: systemClock })
  await last.take('reply')
  expect(last.used).toBe(21)
})

test('messages do not wait for the time of a clock that was ahead', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const ahead: Clock = {
    now: () => clock.now() + 24 * 60 * 60_000,
    monotonic: () => clock.monotonic(),
    after: (ms, fire) => clock.after(ms, fire),
  }
  const options = { store, requests: 3, seconds: 60, timeoutMs: 15_000 }
  const former = new StoreLimits({ ...options, clock: ahead })
  for (let i = 0; i < 3; i++) {
    await former.take('reply')
    former.release(true)
  }
  await former.stored()
  // The clock is right again.
  const late = new StoreLimits({ ...options, clock })
  let hasSlot = false
  const taking = late.take('answer').then(() => (hasSlot = true))
  await expect.poll(() => late.waiting).toBe(1)
  await clock.advance(60_000)
  expect(hasSlot).toBe(false)
  await clock.advance(20_000)
  await expect.poll(() => hasSlot).toBe(true)
  await taking
})

test('a broadcast that waits for the slots of others does not ask the store again and again', async () => {
  const clock = new VirtualClock()
  let reads = 0
  class CountingStore extends MemoryStore {
    override get(key: string) {
      reads++
      return super.get(key)
    }
  }
  const limits = new StoreLimits({ store: new CountingStore(clock), clock })
  // The last 5 of 30 slots are not for broadcasts.
  for (let i = 0; i < 25; i++) {
    await limits.take('reply')
    limits.release(true)
  }
  await limits.stored()
  reads = 0
  let isSent = false
  const sending = limits.take('broadcast').then(() => (isSent = true))
  await clock.advance(55_000)
  expect(isSent).toBe(false)
  expect(reads).toBeLessThan(100)
  await clock.advance(6000)
  await sending
})
