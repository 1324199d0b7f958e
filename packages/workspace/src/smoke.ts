import { smoke } from './lib/nodes/smoke.ts'

// Runs a bot in every way that bots can run, on the current Node, and prints the results.
console.log(JSON.stringify(await smoke()))
