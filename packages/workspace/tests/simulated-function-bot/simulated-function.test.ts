import { expect, test } from 'vitest'
import { functionPlanOf, shrinkBy, simulateFunctions } from '@botwright/testing/simulation'
import { functionBot } from '../../src/lib/simulation/function-bot.test.fixture.ts'

const bot = await functionBot()
const today = Number(process.env['SEED'] ?? 1)
// The first play loads modules, which takes a time that is not simulated.
await simulateFunctions(bot, functionPlanOf(8))

test('the same seed gives the same trace', async () => {
  const once = await simulateFunctions(bot, functionPlanOf(today), { trace: true })
  const again = await simulateFunctions(bot, functionPlanOf(today), { trace: true })
  expect(again.lines).toEqual(once.lines)
  expect(once.violations).toEqual([])
})

test.each([2, 3, 5])('seed %d breaks no rule', async (seed) => {
  expect((await simulateFunctions(bot, functionPlanOf(seed))).violations).toEqual([])
})

test('a failure is reduced to what it needs', { tags: 'all/seeds' }, async () => {
  const rule = {
    name: 'no message is sent',
    why: 'to have a rule that is broken',
    *check({ people, botId }: Parameters<(typeof bot.rules & {})[number]['check']>[0]) {
      for (const { content } of people.textsOf(botId)) if (content.startsWith('pong')) yield content
    },
  }
  const play = (plan: ReturnType<typeof functionPlanOf>) => simulateFunctions({ ...bot, rules: [rule] }, plan)
  const { plan } = await shrinkBy(play, functionPlanOf(8), { rule: rule.name })
  expect([plan.incidents, plan.actions.length]).toEqual([[], 1])
})
