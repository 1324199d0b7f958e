// Scaffolds NAMES generated names, each into an empty folder, and checks everything around it. Then creates a bot with each installed
// manager of MANAGERS, builds it and tests it, and repeats this for npm without a network. Needs the build, and npm's cache.
//   NAMES=10000 MANAGERS=npm,pnpm,yarn,bun SEED=1 node packages/workspace/soak/scaffold.mjs
// Exit code 0: nothing was written outside a target, and every bot passed its tests.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { number, SEED } from './settings.mjs'

const NAMES = number('NAMES', 10_000)
const MANAGERS = (process.env['MANAGERS'] ?? 'npm,pnpm,yarn,bun').split(',')

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { findHome, readPlace, scaffold, ScaffoldError } = await import(`${root}create-bot/dist/index.js`)
const { nastyNames } = await import(`${root}create-bot/dist/lib/names.test.fixture.js`)

const around = mkdtempSync(path.join(tmpdir(), 'botwright-scaffold-'))
const wrong = (text) => {
  console.error(`WRONG: ${text}`)
  process.exitCode = 1
}

try {
  console.log(`seed ${SEED}`)
  await scaffoldNames()
  for (const manager of MANAGERS) makeBot(manager, manager, {})
  const nowhere = 'http://127.0.0.1:9'
  makeBot('npm', 'offline', {
    npm_config_proxy: nowhere,
    npm_config_https_proxy: nowhere,
    npm_config_fetch_retries: '0',
  })
} finally {
  rmSync(around, { recursive: true, force: true })
}

async function scaffoldNames() {
  const home = { ...findHome(), checkout: undefined }
  const cwd = path.join(around, 'here')
  let written = 0
  for (const folder of fc.sample(nastyNames, { numRuns: NAMES, seed: SEED })) {
    mkdirSync(cwd)
    const error = await scaffold({ home, template: 'basic', folder, cwd }).then(
      () => undefined,
      (reason) => reason,
    )
    if (error !== undefined && !(error instanceof ScaffoldError)) throw error
    const top = error ? [] : readPlace(folder).folders.slice(0, 1)
    const here = readdirSync(cwd)
    if (readdirSync(around).join() !== 'here')
      wrong(`${JSON.stringify(folder)} wrote ${readdirSync(around).join(', ')}`)
    if (error ? here.length > 0 : top.length > 0 && here.join() !== top.join())
      wrong(`${JSON.stringify(folder)} left ${here.join(', ')}`)
    if (!error) written++
    rmSync(cwd, { recursive: true })
  }
  console.log(`${NAMES} names: ${written} written, ${NAMES - written} refused, nothing outside`)
}

/** Runs create-bot, build and test, like a user. */
function makeBot(manager, folder, env) {
  const name = `bot-${folder}`
  const installed = spawnSync(manager, ['--version'])
  if (installed.error) return console.log(`${manager} is not installed`)
  const options = { cwd: around, env: { ...process.env, CI: 'true', ...env }, encoding: 'utf8' }
  const startedMs = performance.now()
  const made = spawnSync(
    process.execPath,
    [`${root}create-bot/bin/create-bot.mjs`, name, '-p', manager, '-t', 'full'],
    options,
  )
  if (made.status !== 0) return wrong(`${folder}: ${made.stdout}${made.stderr}`)
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  const bot = { ...options, cwd: path.join(around, name), stdio: 'pipe' }
  try {
    for (const script of ['build', 'test']) execFileSync(manager, ['run', script], bot)
    if (!existsSync(path.join(around, name, 'dist/botwright.json'))) wrong(`${folder}: nothing was built`)
    console.log(`${folder}: made in ${seconds} s, built, tested`)
  } catch (error) {
    wrong(`${folder}: ${error.stdout}${error.stderr}`)
  }
}
