import { VirtualClock } from '@botwright/clock'
import { expect, it } from 'vitest'
import { RateWindows } from './rate-windows.ts'

it('keeps no window that is over: there is one for each message that was ever edited', async () => {
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
  // What still counts is kept, however old it is.
  expect(rates.waitMs('slow', long)).toBeGreaterThan(0)
  expect(rates.waitMs('edits 19999', limit)).toBe(10_000)
})
