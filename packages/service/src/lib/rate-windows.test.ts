import { VirtualClock } from '@botwright/clock'
import { expect, it } from 'vitest'
import { RateWindows } from './rate-windows.ts'

it('removes expired windows: there is one per edited message', async () => {
  const clock = new VirtualClock()
  const rates = new RateWindows(clock)
  const limit = { requests: 1, seconds: 10, per: 'message' } as const
  const long = { requests: 1, seconds: 3600, per: 'channel' } as const
  rates.count('slow', long)
  let most = 0
  for (let message = 0; message < 20_000; message++) {
    rates.count(`edits ${message}`, limit)
    most = Math.max(most, rates.size)
    if (message % 100 === 0) await clock.advance(1000)
  }
  expect(most).toBeLessThan(5000)
  // Windows that still count are kept.
  expect(rates.waitMs('slow', long)).toBeGreaterThan(0)
  expect(rates.waitMs('edits 19999', limit)).toBe(10_000)
})

it('calls that were not stored do not count [spec: decisions/40]', () => {
  const rates = new RateWindows(new VirtualClock())
  const limit = { requests: 2, seconds: 10, per: 'channel' } as const
  rates.count('a', limit)
  const full = new Error('the disk is full')
  const group = () =>
    rates.together(() => {
      rates.count('a', limit)
      rates.count('b', limit)
      // Within the group, they count.
      expect(rates.waitMs('a', limit)).toBe(10_000)
      throw full
    })
  expect(group).toThrow(full)
  expect([rates.waitMs('a', limit), rates.leavesInMs('a', limit), rates.leavesInMs('b', limit)]).toEqual([
    0,
    [10_000],
    [],
  ])
  rates.together(() => rates.count('a', limit))
  expect(rates.waitMs('a', limit)).toBe(10_000)
})
