// Simulates a cluster in virtual time with COUNT seeds: leader, instances, Redis and the service, with crashes, freezes, cuts, outages, and
// late and lost packets. Every fourth seed only lets instances join and leave. Needs the build.
//   COUNT=10000 SEED=1 node packages/workspace/soak/cluster/simulate.mjs
// A seed that failed prints its trace with TRACE=1 COUNT=1 SEED=<seed>. Then looks for each planted fault within 1,000 seeds.
// Exit code 0: no event was lost, out of order, begun by two owners or repeated without a mark, and every planted fault was found.
import { number, SEED } from '../settings.mjs'

const COUNT = number('COUNT', 10_000)
const folder = new URL('../../../cluster/dist/simulator/', import.meta.url)
const { firstViolation, simulate } = await import(new URL('simulate.test.fixture.js', folder).href)
const { faults } = await import(new URL('faults.test.fixture.js', folder).href)

const begunMs = performance.now()
let failed = 0
let repeats = 0
for (let seed = SEED; seed < SEED + COUNT; seed++) {
  const result = simulate(seed, { graceful: seed % 4 === 0 })
  repeats += result.repeats
  if (process.env['TRACE']) console.log(result.trace.join('\n'))
  if (result.violations.length === 0) continue
  failed++
  console.log(`seed ${seed}: ${result.violations.join('; ')}`)
}
const seconds = (performance.now() - begunMs) / 1000
console.log(JSON.stringify({ from: SEED, seeds: COUNT, failed, repeats, seconds: Math.round(seconds) }))

let missed = 0
if (COUNT > 1)
  for (const [name, fault] of Object.entries(faults)) {
    const found = firstViolation(fault, { seeds: 1000 })
    if (!found) missed++
    console.log(`${name}: ${found ? `seed ${found.seed}, ${found.violation}` : 'NOT FOUND'}`)
  }
process.exitCode = failed + missed === 0 ? 0 : 1
