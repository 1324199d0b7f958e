// For `framework dev`, and for the simulation.

export { SqliteStore } from './sqlite-store.ts'
export { deleteEndedRuns, isAlive, markTemporaryBot } from './temporary-bots.ts'
