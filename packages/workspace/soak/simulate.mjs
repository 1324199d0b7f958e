// Simulates the whole runtime, from one seed each: the real service, feed, dispatcher and stores, with people, refused and lost calls, failing
// disks, wrong clocks, killed processes, and ids that start again. Needs the build.
//   COUNT=1000 SEED=1 node packages/workspace/soak/simulate.mjs
//   COUNT=1 SEED=54 TRACE=1 node packages/workspace/soak/simulate.mjs    repeats one seed, and prints its trace
//   COUNT=1 SEED=54 SHRINK=1 node packages/workspace/soak/simulate.mjs   removes what its failure does not need, and writes the rest to a file
//   PLAN=/tmp/plan-54.json node packages/workspace/soak/simulate.mjs     plays such a file
// Each seed is played twice with TWICE=1, whose traces must be equal. HASHES=1 prints the hash of each trace, which is the same on every Node. Exit code 0: no rule was broken.
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planOf, shrink, simulate } from '@botwright/testing/simulation'
import { number, SEED } from './settings.mjs'

const { simulatedBot } = await import('../dist/lib/simulation/simulated-bot.test.fixture.js')
const bot = await simulatedBot()
const { HASHES, PLAN, SHRINK, TRACE, TWICE } = process.env
const COUNT = PLAN ? 1 : number('COUNT', 1000)
const MINUTES = number('MINUTES', 10)
const beganMs = performance.now()
let failed = 0
let steps = 0
for (let seed = SEED; seed < SEED + COUNT; seed++) {
  const plan = PLAN ? JSON.parse(readFileSync(PLAN, 'utf8')) : planOf(seed, { minutes: MINUTES })
  const played = await simulate(bot, plan, { trace: TRACE !== undefined })
  const { hash, lines, violations } = played
  steps += played.steps
  if (TRACE) console.log(lines.join('\n'))
  if (HASHES) console.log(`${plan.seed} ${hash}`)
  if (TWICE) {
    const again = await simulate(bot, plan)
    if (again.hash !== hash)
      violations.push({ rule: 'the same seed gives the same trace', text: `${hash}, ${again.hash}` })
  }
  if (violations.length === 0) continue
  failed++
  for (const { rule, text } of violations) console.log(`seed ${plan.seed}: ${rule}: ${text}`)
  console.log(`  COUNT=1 SEED=${plan.seed} MINUTES=${MINUTES} TRACE=1 node packages/workspace/soak/simulate.mjs`)
  if (!SHRINK) continue
  const small = await shrink(bot, plan, { rule: violations[0].rule })
  const file = join(tmpdir(), `plan-${plan.seed}.json`)
  writeFileSync(file, JSON.stringify(small.plan, null, 2))
  const { actions, incidents } = small.plan
  console.log(
    `  ${incidents.length} incidents and ${actions.length} actions remain after ${small.runs} runs: PLAN=${file}`,
  )
}
const seconds = Math.round((performance.now() - beganMs) / 1000)
console.log(JSON.stringify({ from: SEED, seeds: COUNT, failed, steps, seconds }))
process.exit(failed === 0 ? 0 : 1)
