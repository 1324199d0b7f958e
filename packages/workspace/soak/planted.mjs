// Brings faults back into the sources, one at a time, and counts the seeds that the simulation needs to find each of them. Needs the build.
//   SEEDS=1000 FROM=1 node packages/workspace/soak/planted.mjs
//   MINUTES=2 node packages/workspace/soak/planted.mjs               plays shorter runs
//   CRASH=1 SEEDS=20 node packages/workspace/soak/planted.mjs     plays short plays, once for each moment at which the process can end
//   POWER=some node packages/workspace/soak/planted.mjs              the power fails whenever a process is killed
//   BOT=functions node packages/workspace/soak/planted.mjs        only faults that the plays of this bot find
//   RARE=1 BOT=web SEEDS=200 node packages/workspace/soak/planted.mjs  makes rare branches frequent, with small pages, caches and limits: no rule may break
//   FAULT='ack;click' node packages/workspace/soak/planted.mjs    only faults whose name contains one of these
// Changes a copy of the compiled packages, in a temporary folder. A seed counts that breaks a rule only with the fault.
// Exit code 0: every fault was found, and no rule was broken by a rare branch.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { number } from './settings.mjs'

const SEEDS = number('SEEDS', 1000)
const FROM = number('FROM', 1)
const minutes = number('MINUTES', 10)
const { BOT, CRASH, POWER, RARE } = process.env
const root = fileURLToPath(new URL('../../../', import.meta.url))
const wanted = (process.env.FAULT ?? '').split(';')
const isWanted = ({ name }) => wanted.some((part) => name.includes(part))
if (process.argv[2] === 'play') await play()
else process.exitCode = await measure()

/** The child process, which runs in the copy: plays seeds, and prints those that break a rule. */
async function play() {
  const { crashPlans, shortPlan, withPowerFailures } = await import('@botwright/testing/simulation')
  const { kindOf } = await import('../dist/lib/simulation/kinds.test.fixture.js')
  const { actors, planOf, simulate } = await kindOf(BOT)
  let runs = 0
  const played = async (plan) => {
    const { points, violations } = await simulate(plan)
    runs++
    if (violations[0]) console.log(JSON.stringify({ ...violations[0], runs, plan }))
    return points
  }
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    if (!CRASH)
      await played(POWER ? withPowerFailures(planOf(seed, { minutes, actors })) : planOf(seed, { minutes, actors }))
    else {
      const plan = shortPlan(seed, { actors })
      const points = await played(plan)
      for (const one of crashPlans(plan, points, { power: POWER })) await played(one)
    }
  }
  process.exit()
}

/** Copies the compiled packages. Those of `framework` are not joined to larger files there, so that one of them can be changed. */
function copyPackages(folder) {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@botwright'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@botwright' && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
  for (const name of readdirSync(join(root, 'packages'))) {
    // Bots are not in `node_modules`.
    const to = name === 'workspace' ? join(folder, name) : join(modules, '@botwright', name)
    const from = join(root, 'packages', name)
    const filter = (path) => !/\.map$|\.d\.ts$|[/\\](joined|\.botwright)([/\\]|$)/.test(path)
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter })
    writeFileSync(
      join(to, 'package.json'),
      readFileSync(join(from, 'package.json'), 'utf8').replaceAll('dist/joined/', 'dist/'),
    )
    if (name !== 'workspace') continue
    for (const bot of ['simulated-bot', 'simulated-day-bot', 'simulated-function-bot', 'simulated-web-bot'])
      cpSync(join(from, 'tests', bot), join(to, 'tests', bot), { recursive: true, filter })
    cpSync(dirname(fileURLToPath(import.meta.url)), join(to, 'soak'), { recursive: true })
  }
  return { packages: join(modules, '@botwright'), program: join(folder, 'workspace/soak/planted.mjs') }
}

/** Compiles a source with its changes into the copy. The result restores it. */
function plant(changes, packages) {
  const { file } = changes[0]
  const source = readFileSync(join(root, 'packages', file), 'utf8')
  const changed = changes.reduce((text, { from, to }) => text.replace(from, () => to), source)
  const { outputText } = ts.transpileModule(changed, {
    compilerOptions: { module: 'ESNext', target: 'ES2023', rewriteRelativeImportExtensions: true },
  })
  const path = join(packages, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))
  const former = readFileSync(path)
  writeFileSync(path, outputText)
  return () => writeFileSync(path, former)
}

/** Plays seeds with rare branches, and prints what breaks a rule. */
async function playRare({ packages, program }) {
  const { rareBranches } = await import('../dist/lib/simulation/rare.js')
  const chosen = rareBranches.filter(isWanted)
  for (const file of new Set(chosen.map((one) => one.file)))
    plant(
      chosen.filter((one) => one.file === file),
      packages,
    )
  const playing = spawn(process.execPath, [program, 'play'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let broken = 0
  for await (const line of createInterface(playing.stdout)) {
    const { plan, rule, text } = JSON.parse(line)
    broken++
    console.log(`seed ${plan.seed}: ${rule}: ${text.split('\n')[0].slice(0, 300)}`)
  }
  console.log(JSON.stringify({ branches: chosen.length, seeds: SEEDS, broken }))
  return broken === 0 ? 0 : 1
}

async function measure() {
  const { kindOf } = await import('../dist/lib/simulation/kinds.test.fixture.js')
  const { plantedFaults } = await import('../dist/lib/simulation/planted.js')
  const kinds = {
    day: await kindOf('day'),
    first: await kindOf(),
    functions: await kindOf('functions'),
    web: await kindOf('web'),
  }
  const known = new Map()
  const failsAnyway = async (bot, plan, rule) => {
    const key = `${bot} ${JSON.stringify(plan)}`
    if (!known.has(key)) known.set(key, (await kinds[bot].simulate(plan)).violations)
    return known.get(key).some((one) => one.rule === rule)
  }
  const folder = mkdtempSync(join(tmpdir(), 'botwright-planted-'))
  const { packages, program } = copyPackages(folder)
  if (RARE) {
    const code = await playRare({ packages, program })
    rmSync(folder, { recursive: true, force: true })
    return code
  }
  const chosen = plantedFaults.filter(
    (fault) => isWanted(fault) && (BOT === undefined || (fault.bot ?? 'first') === BOT),
  )
  let missed = 0
  for (const fault of chosen) {
    const beganMs = performance.now()
    const restore = plant([fault], packages)
    const playing = spawn(process.execPath, [program, 'play'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SEEDS: String(SEEDS), BOT: fault.bot ?? 'first' },
    })
    const ended = once(playing, 'close')
    let found
    for await (const line of createInterface(playing.stdout)) {
      const one = JSON.parse(line)
      if (await failsAnyway(fault.bot ?? 'first', one.plan, one.rule)) continue
      found = one
      break
    }
    playing.kill()
    await ended
    restore()
    if (!found) missed++
    const seconds = Math.round((performance.now() - beganMs) / 1000)
    const text = found
      ? `seed ${found.plan.seed}, run ${found.runs}, ${found.rule}: ${found.text.split('\n')[0].slice(0, 160)}`
      : 'NOT FOUND'
    console.log(`${fault.name} (${seconds} s): ${text}`)
  }
  rmSync(folder, { recursive: true, force: true })
  console.log(JSON.stringify({ faults: chosen.length, missed }))
  return missed === 0 ? 0 : 1
}
