import {
  type FunctionPlan,
  functionPlanOf,
  type Plan,
  planOf,
  simulate,
  type SimBot,
  simulateFunctions,
  type Simulated,
} from '@botwright/testing/simulation'
import { dayBot } from './day-bot.test.fixture.ts'
import { functionBot } from './function-bot.test.fixture.ts'
import { simulatedBot } from './simulated-bot.test.fixture.ts'

/** One of the simulations of this repository: how it draws and plays a plan. */
export interface SimKind<P extends Plan | FunctionPlan> {
  planOf: (seed: number, options?: { minutes?: number }) => P
  simulate: (plan: P, options?: { trace?: boolean }) => Promise<Simulated>
}

/** The simulation of a bot: `day`, `functions`, or the first one. */
export const kindOf = async (name = 'first'): Promise<SimKind<Plan> | SimKind<FunctionPlan>> =>
  name === 'functions' ? ofFunctions() : ofRuntime(name === 'day' ? await dayBot() : await simulatedBot())

const ofRuntime = (bot: SimBot): SimKind<Plan> => ({
  planOf,
  simulate: (plan, options) => simulate(bot, plan, options),
})

async function ofFunctions(): Promise<SimKind<FunctionPlan>> {
  const bot = await functionBot()
  return { planOf: functionPlanOf, simulate: (plan, options) => simulateFunctions(bot, plan, options) }
}
