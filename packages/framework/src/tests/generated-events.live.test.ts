import { expect, test } from 'vitest'
import { runGenerated } from './generated-events.test.fixture.ts'

// The long form: packages/workspace/soak/events.mjs
const seed = Number(process.env['SEED'] ?? 1)

test(`malformed events crash nothing, and a failing handler affects no other (seed ${seed})`, async () => {
  const { stats, unknown, sawUnknown, errors, failures } = await runGenerated(3000, seed)
  expect(failures).toEqual([])
  expect(stats.finished).toBe(stats.received)
  expect(stats.received).toBeGreaterThan(2000)
  expect(unknown).toBe(sawUnknown)
  expect(unknown).toBeGreaterThan(300)
  expect(errors).toBeGreaterThan(500)
})
