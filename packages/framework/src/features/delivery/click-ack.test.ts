import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { click } from '../../tests/loaded-bot.test.fixture.ts'
import { clickOf } from './click-ack.ts'

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
