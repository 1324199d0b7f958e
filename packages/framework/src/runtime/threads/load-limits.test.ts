import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { LoadLimits } from './load-limits.ts'

test('a bot that has loaded slowly has more time for its next load', async () => {
  const clock = new VirtualClock()
  const loads = new LoadLimits(clock, {})
  const limits: number[] = []
  const load = (isFirst: boolean, seconds: number) =>
    loads.limited(isFirst, async (limitMs) => {
      limits.push(limitMs / 1000)
      await clock.advance(seconds * 1000)
    })
  await load(true, 1)
  await load(false, 7)
  await load(false, 2)
  await load(true, 20)
  await load(true, 1)
  expect(limits).toEqual([30, 5, 21, 30, 60])
})

test('a load that has failed does not count', async () => {
  const clock = new VirtualClock()
  const loads = new LoadLimits(clock, { loadSeconds: 1 })
  const failed = loads.limited(false, async () => {
    await clock.advance(1000)
    throw new Error('too long')
  })
  await expect(failed).rejects.toThrow('too long')
  await loads.limited(false, (limitMs) => Promise.resolve(expect(limitMs).toBe(1000)))
})
