import { AdvanceableClock, VirtualClock } from '@botwright/clock'
import { timerAt } from '@botwright/clock/timers'
import { expect, test } from 'vitest'

const MINUTE_MS = 60_000

test('fires at its time, however far the clock is moved at once', () => {
  const base = new VirtualClock()
  const clock = new AdvanceableClock(base)
  const fired: number[] = []
  const startMs = clock.now()
  timerAt(clock, startMs + 90 * MINUTE_MS, () => fired.push(clock.now() - startMs))
  expect(clock.nextMs).toBe(90 * MINUTE_MS)
  clock.advance(120 * MINUTE_MS)
  expect(fired).toEqual([90 * MINUTE_MS])
})

test('fires after 10 minutes that really pass, and only once', async () => {
  const base = new VirtualClock()
  const clock = new AdvanceableClock(base)
  let fired = 0
  for (const atMs of [clock.now() + 90 * MINUTE_MS, Infinity]) timerAt(clock, atMs, () => fired++)
  await base.advance(10 * MINUTE_MS - 1)
  expect(fired).toBe(0)
  await base.advance(1)
  expect(fired).toBe(2)
  clock.advance(120 * MINUTE_MS)
  await base.advance(120 * MINUTE_MS)
  expect(fired).toBe(2)
})

test('does not fire once it is cancelled', async () => {
  const base = new VirtualClock()
  const clock = new AdvanceableClock(base)
  let fired = 0
  for (const minutes of [5, 90]) timerAt(clock, clock.now() + minutes * MINUTE_MS, () => fired++).cancel()
  clock.advance(120 * MINUTE_MS)
  await base.advance(120 * MINUTE_MS)
  expect(fired).toBe(0)
})
