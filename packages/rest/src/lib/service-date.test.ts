import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ServiceDate } from './service-date.ts'

test('the clock of the host is compared with the date of each response that has another one', () => {
  const clock = new VirtualClock()
  const date = new ServiceDate(clock)
  expect(date.aheadMs).toBeUndefined()
  const at = (ms: number) => ({ headers: { date: new Date(clock.now() + ms).toUTCString() } })
  date.read(at(-960_000))
  expect(Math.round(date.aheadMs! / 1000)).toBeGreaterThanOrEqual(-961)
  expect(Math.round(date.aheadMs! / 1000)).toBeLessThanOrEqual(-959)
  date.read(at(0))
  expect(Math.abs(date.aheadMs!)).toBeLessThanOrEqual(1000)
})

test('a response without a readable date changes nothing', () => {
  const date = new ServiceDate(new VirtualClock())
  for (const value of [undefined, 'soon', ['a'], `1 Jan 2026${' '.repeat(100)}`])
    date.read({ headers: { date: value } })
  expect(date.aheadMs).toBeUndefined()
})
