// Simulates the busiest minute of a bot in SERVERS servers whose handlers take HANDLER_MS: how many instances it needs, and how busy each part is.
//   SERVERS=100000 HANDLER_MS=100 SEED=1 node packages/workspace/soak/cluster/capacity.mjs
// Requires the build. The documentation has a table of its results ("How far a bot scales").
import { number } from '../settings.mjs'

const { simulateCapacity } = await import(new URL('../../dist/lib/capacity.js', import.meta.url).href)
const load = { servers: number('SERVERS', 100_000), handlerMs: number('HANDLER_MS', 100) }
console.log(JSON.stringify(simulateCapacity(load, number('SEED', 1))))
