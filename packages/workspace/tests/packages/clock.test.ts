import { sleep, VirtualClock } from '@botwright/clock'
import { expect, it } from 'vitest'

it('waits an hour instantly', async () => {
  const clock = new VirtualClock()
  const tea = sleep(clock, 3_600_000).then(() => 'tea is ready')
  await clock.advance(3_600_000)
  expect(await tea).toBe('tea is ready')
})
