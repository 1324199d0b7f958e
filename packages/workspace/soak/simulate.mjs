// Simulates the whole runtime, from one seed each: the real service, feed, dispatcher and stores, with people, refused and lost calls, failing
// disks, wrong clocks, killed processes, and ids that start again. Needs the build.
//   COUNT=1000 SEED=1 node packages/workspace/soak/simulate.mjs
//   COUNT=1 SEED=54 TRACE=1 node packages/workspace/soak/simulate.mjs    repeats one seed, and prints its trace
//   COUNT=1 SEED=54 SHRINK=1 node packages/workspace/soak/simulate.mjs   removes what its failure does not need, and writes the rest to a file
//   COUNT=10 CRASH=1 node packages/workspace/soak/simulate.mjs           plays short plays, once for each moment at which the process can end (CRASH=2: twice)
//   POWER=some node packages/workspace/soak/simulate.mjs                 the power fails whenever a process is killed; with CRASH=1 also POWER=state.db or journal.db, which lose all that they can
//   BOT=day node packages/workspace/soak/simulate.mjs                    plays the second bot, and BOT=web the third one
//   BOT=functions node packages/workspace/soak/simulate.mjs              plays a bot as functions: killed invocations, several instances, a store that fails
//   PLAN=/tmp/plan-54.json node packages/workspace/soak/simulate.mjs     plays such a file
// Each seed is played twice with TWICE=1, whose traces must be equal. HASHES=1 prints the hash of each trace, which is the same on every Node. Exit code 0: no rule was broken.
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crashPlans, shortPlan, shrinkBy, withPowerFailures } from '@botwright/testing/simulation'
import { number, SEED } from './settings.mjs'

const { kindOf } = await import('../dist/lib/simulation/kinds.test.fixture.js')
const { BOT, CRASH, HASHES, PLAN, POWER, SHRINK, TRACE, TWICE } = process.env
const { actors, planOf, simulate } = await kindOf(BOT)
const COUNT = PLAN ? 1 : number('COUNT', 1000)
const MINUTES = number('MINUTES', 10)
const beganMs = performance.now()
const beganCpu = process.cpuUsage()
let failed = 0
let runs = 0
let steps = 0
for (let seed = SEED; seed < SEED + COUNT; seed++) {
  const plan = planFor(seed)
  const { points, violations } = await playPlan(plan)
  if (CRASH && violations.length === 0)
    for (const one of crashPlans(plan, points, { twice: CRASH === '2', power: POWER })) await playPlan(one)
}

function planFor(seed) {
  if (PLAN) return JSON.parse(readFileSync(PLAN, 'utf8'))
  if (CRASH) return shortPlan(seed, { actors })
  const plan = planOf(seed, { minutes: MINUTES, actors })
  return POWER ? withPowerFailures(plan) : plan
}

/** Plays one plan, and prints what breaks a rule. */
async function playPlan(plan) {
  const played = await simulate(plan, { trace: TRACE !== undefined })
  const { hash, lines, violations } = played
  runs++
  steps += played.steps
  if (TRACE) console.log(lines.join('\n'))
  if (HASHES) console.log(`${plan.seed} ${hash}`)
  if (TWICE) {
    const again = await simulate(plan)
    if (again.hash !== hash)
      violations.push({ rule: 'the same seed gives the same trace', text: `${hash}, ${again.hash}` })
  }
  if (violations.length === 0) return played
  failed++
  for (const { rule, text } of violations) console.log(`seed ${plan.seed}: ${rule}: ${text}`)
  const file = join(tmpdir(), `plan-${plan.seed}${CRASH ? `-${failed}` : ''}.json`)
  if (CRASH) {
    writeFileSync(file, JSON.stringify(plan, null, 2))
    console.log(
      `  ${JSON.stringify(plan.incidents)}: ${BOT ? `BOT=${BOT} ` : ''}PLAN=${file} TRACE=1 node packages/workspace/soak/simulate.mjs`,
    )
  } else
    console.log(
      `  COUNT=1 SEED=${plan.seed} MINUTES=${MINUTES}${POWER ? ` POWER=${POWER}` : ''}${BOT ? ` BOT=${BOT}` : ''} TRACE=1 node packages/workspace/soak/simulate.mjs`,
    )
  if (!SHRINK) return played
  const small = await shrinkBy((smaller) => simulate(smaller, { trace: true }), plan, { rule: violations[0].rule })
  writeFileSync(file, JSON.stringify(small.plan, null, 2))
  const { actions, incidents } = small.plan
  console.log(
    `  ${incidents.length} incidents and ${actions.length} actions remain after ${small.runs} runs: ${BOT ? `BOT=${BOT} ` : ''}PLAN=${file}`,
  )
  return played
}
const seconds = Math.round((performance.now() - beganMs) / 1000)
const { user, system } = process.cpuUsage(beganCpu)
const cpuSecondsPerRun = Math.round((user + system) / runs / 1000) / 1000
console.log(JSON.stringify({ from: SEED, seeds: COUNT, runs, failed, steps, seconds, cpuSecondsPerRun }))
process.exit(failed === 0 ? 0 : 1)
