import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './index.ts'

const DAY_MS = 24 * 60 * 60 * 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([1, 24, 25, 60, 365])('a timer of %d days fires at its end, once', (days) => {
  let fired = 0
  systemClock.after(days * DAY_MS, () => fired++, { keepAlive: true })
  vi.advanceTimersByTime(days * DAY_MS - 1)
  expect(fired).toBe(0)
  vi.advanceTimersByTime(DAY_MS)
  expect(fired).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('a long timer can be cancelled after it was armed again', () => {
  let fired = 0
  const timer = systemClock.after(60 * DAY_MS, () => fired++)
  vi.advanceTimersByTime(30 * DAY_MS)
  timer.cancel()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(60 * DAY_MS)
  expect(fired).toBe(0)
})

test('an endless timer never fires', () => {
  let fired = 0
  systemClock.after(Infinity, () => fired++)
  vi.advanceTimersByTime(100 * DAY_MS)
  expect(fired).toBe(0)
})
