import { smoke } from './lib/nodes/smoke.ts'

// A bot in each of the ways in which bots run, on the Node that runs this; prints what was seen.
console.log(JSON.stringify(await smoke()))
