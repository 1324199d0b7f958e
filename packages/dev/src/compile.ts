export { compileBot, type BotCopy } from './lib/load/compile-bot.ts'
export { compileBeside } from './lib/simulate/compile-beside.ts'
export {
  faultKinds,
  keyOf,
  type FaultKind,
  type FileCoverage,
  type Finding,
  type FindingKind,
  type SimulationMessage,
  type SimulationRequest,
} from './lib/simulate/finding.ts'
export { runSimulation, type SimulationResult } from './lib/simulate/run-simulation.ts'
