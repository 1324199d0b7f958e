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
import { webBot } from './web-bot.test.fixture.ts'

/** One of the simulations of this repository: how it draws and plays a plan. */
export interface SimKind<P extends Plan | FunctionPlan> {
  /** Actors of the bot besides people, for its plans. */
  actors: readonly string[]
  planOf: (seed: number, options?: { minutes?: number; actors?: readonly string[] }) => P
  simulate: (plan: P, options?: { trace?: boolean }) => Promise<Simulated>
}

const bots: Record<string, () => Promise<SimBot>> = { day: dayBot, first: simulatedBot, web: webBot }

/** The simulation of a bot: `day`, `functions`, `web`, or the first one. */
export const kindOf = async (name = 'first'): Promise<SimKind<Plan> | SimKind<FunctionPlan>> =>
  name === 'functions' ? ofFunctions() : ofRuntime(await (bots[name] ?? simulatedBot)())

const ofRuntime = (bot: SimBot): SimKind<Plan> => ({
  actors: Object.keys(bot.actors ?? {}),
  planOf,
  simulate: (plan, options) => simulate(bot, plan, options),
})

async function ofFunctions(): Promise<SimKind<FunctionPlan>> {
  const bot = await functionBot()
  return { actors: [], planOf: functionPlanOf, simulate: (plan, options) => simulateFunctions(bot, plan, options) }
}
