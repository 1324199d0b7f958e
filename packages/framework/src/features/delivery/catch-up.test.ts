import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { CatchUpRules } from './catch-up.ts'
import { MissedClicks, ServiceClock } from './service-clock.ts'

test('a click that an earlier process has stored is not skipped: its person saw no error', () => {
  const clock = new VirtualClock()
  const missed = new MissedClicks(new ServiceClock(clock), 0)
  const rules = new CatchUpRules(undefined, { clock, log: {} as never, missed })
  const created_at = new Date(clock.now() - 10_000).toISOString()
  const click = { event: { id: 2, type: 'interaction', data: {}, created_at }, attempt: 1 }
  expect(rules.arrived({ ...click, kept: true })).toBe(false)
  expect(rules.arrived(click)).toBe(true)
  expect(rules.skipped).toBe(1)
})
