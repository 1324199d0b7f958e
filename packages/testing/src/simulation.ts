// The whole bot in a simulated world, from one seed: see decision 20 of the repository.
export {
  planOf,
  withPowerFailures,
  type Action,
  type Incident,
  type IncidentKind,
  type Plan,
} from './lib/simulation/plan.ts'
export type { ActorStage, SimActor, SimFacts } from './lib/simulation/facts.ts'
export { simulate, type SimBot, type Simulated } from './lib/simulation/simulate.ts'
export { crashPlans, shortPlan, type CrashOptions, type Points } from './lib/simulation/crash-points.ts'
export { shrink } from './lib/simulation/shrink.ts'
export type { Violation } from './lib/simulation/sim-world.ts'
export type { Rule } from './lib/simulation/rules.ts'
export type { SimMessage } from './lib/simulation/people.ts'
export type { SimHook } from './lib/simulation/record.ts'
export {
  invariant,
  simulation,
  type Check,
  type PlayedBot,
  type PlayedMessage,
  type PlayedValue,
  type SimulationSettings,
} from './lib/simulation/play/invariants.ts'
export { playSeeds } from './lib/simulation/play/play-seeds.ts'
export { playCase } from './lib/simulation/play/cases/play-case.ts'
export { shrinkBy } from './lib/simulation/shrink.ts'
export { functionPlanOf, type FunctionIncident, type FunctionPlan } from './lib/simulation/functions/function-plan.ts'
export type { FunctionFacts, FunctionRule } from './lib/simulation/functions/function-facts.ts'
export { simulateFunctions, type SimFunctions } from './lib/simulation/functions/simulate-functions.ts'
