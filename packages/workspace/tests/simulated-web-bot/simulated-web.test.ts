import { crashPlans, planOf, shortPlan, simulate } from '@botwright/testing/simulation'
import { expect, test } from 'vitest'
import { webBot } from '../../src/lib/simulation/web-bot.test.fixture.ts'

const bot = await webBot()
const actors = Object.keys(bot.actors ?? {})
const today = Number(process.env['SEED'] ?? 1)

test.each([5, today])('seed %d breaks no rule, and has the same trace again', async (seed) => {
  const plan = planOf(seed, { minutes: 2, actors })
  const { hash, violations } = await simulate(bot, plan)
  expect(violations).toEqual([])
  expect((await simulate(bot, plan)).hash).toBe(hash)
})

test(`a short play of this day, ${today}, whose process ends at any moment, breaks no rule`, async () => {
  const plan = shortPlan(today, { actors })
  const { points } = await simulate(bot, plan)
  const all = crashPlans(plan, points)
  expect(all.length).toBeGreaterThan(100)
  for (let i = today % 50; i < all.length; i += 50) expect((await simulate(bot, all[i]!)).violations).toEqual([])
})
