import {
  type CrashOptions,
  crashPlans,
  planOf,
  shortPlan,
  shrink,
  simulate,
  withPowerFailures,
} from '@botwright/testing/simulation'
import { expect, test } from 'vitest'
import { simulatedBot } from '../../src/lib/simulation/simulated-bot.test.fixture.ts'

const bot = await simulatedBot()
const minutes = 2
/** So many of the moments at which a process can end, others each day. */
const SOME = 6
const today = Number(process.env['SEED'] ?? 1)
const violationsOf = async (seed: number) => (await simulate(bot, planOf(seed, { minutes }))).violations

test('the same seed gives the same trace', async () => {
  for (const seed of [1, 8]) {
    const once = await simulate(bot, planOf(seed, { minutes }), { trace: true })
    const again = await simulate(bot, planOf(seed, { minutes }), { trace: true })
    expect(again.lines).toEqual(once.lines)
    expect(again.hash).toBe(once.hash)
  }
})

test.each([2, 3, 4, 5, 6, 7])('seed %d breaks no rule', async (seed) => {
  expect(await violationsOf(seed)).toEqual([])
})

test(`the seed of this day, ${today}, breaks no rule`, async () => {
  expect(await violationsOf(today)).toEqual([])
})

test.each([27])('seed %d breaks no rule when the power fails', async (seed) => {
  expect((await simulate(bot, withPowerFailures(planOf(seed, { minutes })))).violations).toEqual([])
})

test(`the process of a short play of this day, ${today}, ends at any moment, and no rule is broken`, async () => {
  const plan = shortPlan(today)
  const { points, violations } = await simulate(bot, plan)
  expect(violations).toEqual([])
  const kinds: CrashOptions[] = [{}, { power: 'state.db' }, { power: 'journal.db' }]
  const all = kinds.flatMap((kind) => crashPlans(plan, points, kind))
  expect(all.length).toBeGreaterThan(100)
  const stride = Math.ceil(all.length / SOME)
  for (let i = today % stride; i < all.length; i += stride)
    expect({ incidents: all[i]!.incidents, violations: (await simulate(bot, all[i]!)).violations }).toEqual({
      incidents: all[i]!.incidents,
      violations: [],
    })
})

test('a failure is reduced to what it needs', { tags: 'all/seeds' }, async () => {
  const rule = {
    name: 'no order is made',
    why: 'to have a rule that is broken',
    *check({ people }: Parameters<(typeof bot.rules & {})[number]['check']>[0]) {
      for (const { content } of people.messages.values()) if (content.startsWith('/order')) yield content
    },
  }
  const plan = planOf(2, { minutes: 1 })
  const order = { person: 0, channel: 0, do: 'say' as const, value: bot.says.indexOf('/order {n}') }
  plan.actions.push({ atMs: plan.lengthMs - 1000, ...order })
  const small = await shrink({ ...bot, rules: [rule] }, plan, { rule: rule.name })
  expect(small.plan.incidents).toEqual([])
  expect(small.plan.actions).toHaveLength(1)
  expect(plan.actions.length).toBeGreaterThan(1)
})
