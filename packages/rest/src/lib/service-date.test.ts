import { expect, test } from 'vitest'
import { aheadMsOf } from './service-date.ts'

test.each([-960_000, 0, 3_600_000])('the service is ahead by %i ms, to the second', (aheadMs) => {
  const atMs = Date.UTC(2026, 0, 1) + 250
  const aheadOf = aheadMsOf({ value: new Date(atMs + aheadMs).toUTCString(), atMs })!
  expect(Math.abs(aheadOf - aheadMs)).toBeLessThanOrEqual(500)
})

test.each([undefined, 'soon', ['a'], `1 Jan 2026${' '.repeat(100)}`])('%j is not a date', (value) => {
  expect(aheadMsOf({ value, atMs: 0 })).toBeUndefined()
})
