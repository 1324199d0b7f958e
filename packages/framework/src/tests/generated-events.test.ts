import { expect, test } from 'vitest'
import { runGenerated } from './generated-events.test.fixture.ts'

// The long form: packages/workspace/soak/events.mjs
const seed = Math.floor(Math.random() * 2 ** 31)

test(`whatever the service sends, nothing crashes, and each handler fails for itself (seed ${seed})`, async () => {
  const { stats, unknown, sawUnknown, errors, failures } = await runGenerated(3000, seed)
  expect(failures).toEqual([])
  expect(stats.finished).toBe(stats.received)
  expect(stats.received).toBeGreaterThan(2000)
  expect(unknown).toBe(sawUnknown)
  expect(unknown).toBeGreaterThan(300)
  expect(errors).toBeGreaterThan(500)
})
