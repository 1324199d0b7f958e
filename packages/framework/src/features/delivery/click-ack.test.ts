import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { click } from '../../tests/loaded-bot.test.fixture.ts'
import { ackWaitMs, clickOf } from './click-ack.ts'
import { ServiceClock } from './service-clock.ts'

test.each([
  ['2026-01-01T00:20:00Z', 20],
  ['soon', 15],
  [undefined, 15],
])('a click that expires at %s can be answered for %d minutes', (expires_at, minutes) => {
  const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const { event } = click('vote')
  const found = clickOf({ ...event, data: { ...event.data, expires_at } }, clock)
  expect(found?.expiresAtMs).toBe(clock.now() + minutes * 60_000)
})

test('the first click that is pushed has the whole time, although the clock of the host is behind', () => {
  const service = new ServiceClock(new VirtualClock(Date.parse('2026-01-01T00:00:00Z')))
  const { event } = click('vote')
  // The receiver dates its copy by the clock of the host.
  const created_at = new Date(service.now()).toISOString()
  const pushed = { ...event, created_at, data: { ...event.data, expires_at: '2026-01-01T00:15:05Z' } }
  service.pushed(pushed)
  expect(ackWaitMs(pushed, service)).toBe(2000)
})
