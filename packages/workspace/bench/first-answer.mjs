// Measures the time to the first answer in the page, with the commands of the documentation one after the other.
//   node packages/workspace/bench/first-answer.mjs        after npm run build; with a warm npm cache
//   FROM=registry,checkout,clone                          the source: docs/start.md, README.md, README.md in a fresh clone
// `registry` needs bin/tools.mjs; all need Chromium (CHROME_PATH). The time to read and type is not included.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ways = (process.env['FROM'] ?? 'registry,checkout').split(',')
const PATIENCE_MS = 120_000
const outside = mkdtempSync(path.join(tmpdir(), 'botwright-first-'))
/** A clean environment, without variables of the caller. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_|BOT_|CI$)/i.test(name)),
)

// The browser is already open, so its startup does not count.
const browser = await chromium.launch({
  executablePath: process.env['CHROME_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  for (const way of ways) await measure(way)
} finally {
  await browser.close()
  rmSync(outside, { recursive: true, force: true, maxRetries: 5 })
}

async function measure(way) {
  const folder = path.join(outside, way)
  mkdirSync(folder)
  const page = await browser.newPage()
  const steps = []
  const step = async (what, work) => {
    const beganMs = performance.now()
    const result = await work()
    steps.push([what, (performance.now() - beganMs) / 1000])
    return result
  }
  const { env, end } = await { registry: fromRegistry, checkout: fromCheckout, clone: fromClone }[way](folder, step)
  const bot = path.join(folder, 'my-bot')
  try {
    await answerIn(bot, env, page, step)
  } finally {
    await page.close()
    await end?.()
  }
  const total = steps.reduce((sum, [, seconds]) => sum + seconds, 0)
  console.log(`\n| from ${way} | s |\n|---|---|`)
  for (const [what, seconds] of [...steps, ['total', total]]) console.log(`| ${what} | ${seconds.toFixed(1)} |`)
}

async function answerIn(bot, env, page, step) {
  const { dev, address } = await step('npm run dev', () => startDev(bot, env))
  try {
    await step('open the page, sign in as ann', async () => {
      await page.goto(address)
      await page.getByRole('button', { name: 'ann', exact: true }).click()
      await page.getByRole('textbox', { name: /^Message / }).waitFor()
    })
    await step('/ping', async () => {
      const box = page.getByRole('textbox', { name: /^Message / })
      await box.fill('/ping')
      await box.press('Enter')
      await page.getByText('Pong, ann!', { exact: true }).waitFor()
    })
  } finally {
    process.kill(-dev.pid, 'SIGTERM')
    await once(dev, 'close')
  }
}

/** Like a new user, from a local registry with the packages as they would be published. */
async function fromRegistry(folder, step) {
  const { packAll } = await import('../dist/lib/publishing/pack.js')
  const { publishFolders } = await import('../dist/lib/publishing/publish.js')
  const { startRegistry } = await import('../dist/lib/publishing/registry.test.fixture.js')
  const { releasedPackages } = await import('../dist/lib/publishing/released.js')
  const { unpackInto } = await import('../dist/lib/publishing/stage.test.fixture.js')
  const released = await releasedPackages(root)
  const stage = path.join(folder, 'stage')
  await unpackInto(stage, released, await packAll(root, released, folder))
  const registry = await startRegistry(path.join(folder, 'registry'))
  const places = released.map((one) => one.folder)
  await publishFolders(stage, places, { env: registry.env })
  const { CI: _, ...env } = registry.env
  await step('npm create @botwright/bot my-bot', () => type(folder, 'npm create --yes @botwright/bot my-bot', env))
  return { env, end: () => registry[Symbol.asyncDispose]() }
}

async function fromCheckout(folder, step, checkout = root) {
  await step('npx <checkout>/create-bot my-bot', () =>
    type(folder, `npx ${path.join(checkout, 'create-bot')} my-bot`, clean),
  )
  return { env: clean }
}

async function fromClone(folder, step) {
  const checkout = path.join(folder, 'checkout')
  await step('git clone', () => type(folder, `git clone --quiet ${root} checkout`, clean))
  await step('npm ci', () => type(checkout, 'npm ci', clean))
  await step('npm run build', () => type(checkout, 'npm run build', clean))
  return fromCheckout(folder, step, checkout)
}

/** Runs a command like a shell. Prompts get no input. */
function type(cwd, command, env) {
  execFileSync('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function startDev(cwd, env) {
  const dev = spawn('npm', ['run', 'dev'], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => (output += text))
  const untilMs = Date.now() + PATIENCE_MS
  for (;;) {
    const [, address] = /Chat\s+(http:\S+)/.exec(output) ?? []
    if (address !== undefined) return { dev, address }
    if (dev.exitCode !== null || Date.now() > untilMs) throw new Error(`npm run dev printed no address:\n${output}`)
    await pause(20)
  }
}
