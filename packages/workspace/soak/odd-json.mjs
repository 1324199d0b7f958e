// Sends COUNT calls with odd JSON, queries and paths to every route of the local service, in order. Needs the build.
//   COUNT=10000 SEED=1 node packages/workspace/soak/odd-json.mjs
// Exit code 0: no response was a 500 or lacked its body, and no refused call stored anything.
import { number, SEED } from './settings.mjs'
import { sendOddJson } from '../dist/lib/attacks/odd-json.test.fixture.js'
import { closeAgent } from '../dist/lib/fuzz/schema-calls.test.fixture.js'

const COUNT = number('COUNT', 10_000)

const startMs = performance.now()
const { operations, statuses, faults } = await sendOddJson(COUNT, SEED, (done) => {
  if (done % 1000 === 0) console.log(`${done} of ${COUNT} calls`)
})
closeAgent()
const seconds = Math.round((performance.now() - startMs) / 1000)
console.log(
  JSON.stringify({
    seed: SEED,
    count: COUNT,
    seconds,
    operations,
    statuses: Object.fromEntries([...statuses].sort(([one], [other]) => one - other)),
    faults: faults.length,
  }),
)
for (const fault of faults.slice(0, 20)) console.log(`FAULT: ${fault.slice(0, 1000)}`)
process.exitCode = faults.length > 0 ? 1 : 0
