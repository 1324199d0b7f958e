import { expect, test } from 'vitest'
import { SeededRandom } from '@botwright/clock/simulated'
import { installGlobals } from './globals.ts'
import { serviceClock } from './sim-host.ts'
import { SimWorld } from './sim-world.ts'

test('Date has the simulated time, with and without new', () => {
  const startMs = Date.parse('2026-01-15T12:00:00Z')
  const world = new SimWorld(1, { startMs })
  const restore = installGlobals(world, () => serviceClock(world), new SeededRandom(1))
  try {
    class Own extends Date {}
    const now = new Date()
    expect([now.getTime(), Date.now(), new Date(5).getTime(), new Own().getTime()]).toEqual([
      startMs,
      startMs,
      5,
      startMs,
    ])
    expect((Date as unknown as () => string)()).toBe(now.toString())
    expect([now instanceof Date, new Own() instanceof Date, now.constructor === Date]).toEqual([true, true, true])
  } finally {
    restore()
  }
  expect(Date.now()).not.toBe(startMs)
})
