import { crashPlans, planOf, shortPlan, simulate } from '@botwright/testing/simulation'
import { expect, test } from 'vitest'
import { dayBot } from '../../src/lib/simulation/day-bot.test.fixture.ts'

const bot = await dayBot()
const today = Number(process.env['SEED'] ?? 1)

test.each([4, today])('seed %d breaks no rule', async (seed) => {
  expect((await simulate(bot, planOf(seed, { minutes: 2 }))).violations).toEqual([])
})

test('a short play in quiet hours, whose process ends at any moment, breaks no rule', async () => {
  const plan = shortPlan(4)
  const { points } = await simulate(bot, plan)
  const all = crashPlans(plan, points)
  for (let i = today % 50; i < all.length; i += 50) expect((await simulate(bot, all[i]!)).violations).toEqual([])
})
