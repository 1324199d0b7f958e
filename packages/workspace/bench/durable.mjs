// Measures durable handlers in `framework start`: a start with 10,000 waiting runs against one with none, and the rate and time of steps.
//   REPS=5 WAITING=10000 RUNS=20 node packages/workspace/bench/durable.mjs
// Needs the build. Prints medians. Exit code 1: a limit is exceeded. `PARTS=steps` measures the steps alone.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '@botwright/dev'
import { openDatabase } from '@botwright/sqlite'
import { homeOf, startBot, startWorkshop, token, writer } from '../soak/rig.mjs'

const REPS = Number(process.env.REPS ?? 5)
const WAITING = Number(process.env.WAITING ?? 10_000)
const RUNS = Number(process.env.RUNS ?? 20)
const PARTS = process.env.PARTS ?? 'start,steps'
/** Steps of each run: the limit is 1,000. */
const STEPS = 900
const LIMITS = { moreMB: 50, moreMs: 20, stepsPerSecond: 5000, stepMs: 2 }

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const folder = mkdtempSync(join(tmpdir(), 'botwright-bench-durable-'))
const root = join(folder, 'bot')
mkdirSync(join(root, 'commands'), { recursive: true })
homeOf(root)
writeFileSync(
  join(root, 'commands/wait.ts'),
  `import { command } from '@botwright/framework'
export default command({ description: 'Waits', durable: true, run: async (ctx) => {
  const answer = await ctx.ask('Which number?', { timeout: '7d' })
  return answer
} })`,
)
writeFileSync(
  join(root, 'commands/steps.ts'),
  `import { writeFileSync } from 'node:fs'
import { command } from '@botwright/framework'
export default command({ description: 'Does steps', durable: true, run: async (ctx) => {
  const startedMs = Date.now()
  const times = []
  for (let i = 0; i < ${STEPS}; i++) {
    const beganMs = performance.now()
    await ctx.step('one', () => i)
    times.push(performance.now() - beganMs)
  }
  writeFileSync(${JSON.stringify(folder)} + '/' + ctx.channel_id, JSON.stringify({ startedMs, endedMs: Date.now(), times }))
} })`,
)
await build(root, join(root, 'dist'))
const channels = Array.from({ length: RUNS }, (_, i) => `c${i}`)
const service = await startWorkshop(channels)
const writes = writer(service)
const ids = service.world.servers.Workshop.channels

/** Starts the bot with a state folder; resolves with the time until it was ready. */
async function open(state) {
  const startedMs = performance.now()
  const bot = startBot({
    root,
    args: ['--state', join(folder, state)],
    env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' },
    onLine: (line) => /"level":"(?:error|warn)"/.test(line) && console.error(line),
  })
  await bot.ready
  return { bot, ms: performance.now() - startedMs }
}

async function close({ child, ended }) {
  child.kill('SIGTERM')
  await ended
}

async function until(holds) {
  for (const endMs = Date.now() + 120_000; !(await holds()); await sleep(20))
    if (Date.now() > endMs) throw new Error(`not true in time: ${holds}`)
}

/** Copies the rows of the one waiting run of a state, for other users and with later times. */
function multiply(state) {
  const db = openDatabase(join(folder, state, 'state.db'))
  const rows = db.prepare("SELECT bot, key, value FROM value WHERE key LIKE 'run:%'").all()
  const put = db.prepare('INSERT INTO value (bot, key, value, version, expires_at_ms) VALUES (?, ?, ?, 1, NULL)')
  const head = rows.find(({ key }) => key.startsWith('run:head:'))
  const { id, event } = JSON.parse(head.value)
  const user = event.data.author_id
  db.transaction(() => {
    for (let i = 1; i < WAITING; i++) {
      const own = String(1_000_000 + i)
      const person = randomUUID()
      for (const { bot, key, value } of rows) {
        const name = key
          .replace(new RegExp(`(?<=^run:(?:head|log|due:\\d+):)${id}(?=$|:)`), `:${own}`)
          .replaceAll(user, person)
        put.run(
          bot,
          name,
          value
            .replaceAll(user, person)
            .replace(`"id":"${id}"`, `"id":"${own}"`)
            .replace(`"run":"${id}"`, `"run":"${own}"`),
        )
      }
    }
  })
  db.close()
  return rows.length
}

const rss = ({ child }) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024

let isWithin = true
const print = (name, value, limit, holds) => {
  isWithin &&= holds
  console.log(`${name.padEnd(58)} ${String(value).padStart(8)}   ${limit}`)
}

if (PARTS.includes('start')) {
  for (const state of ['none', 'many']) {
    const { bot } = await open(state)
    if (state === 'many') {
      await writes('c0', '/wait')
      await until(() => existsSync(join(folder, state, 'state.db')))
      await sleep(2000)
    }
    await close(bot)
  }
  const rows = multiply('many')
  const found = { none: { ms: [], mb: [] }, many: { ms: [], mb: [] } }
  for (let rep = 0; rep < REPS * 2; rep++) {
    // Each goes first in half of the pairs.
    const state = (rep + Math.floor(rep / 2)) % 2 === 0 ? 'none' : 'many'
    const { bot, ms } = await open(state)
    await sleep(4000)
    found[state].ms.push(ms)
    found[state].mb.push(rss(bot))
    await close(bot)
  }
  const moreMs = median(found.many.ms) - median(found.none.ms)
  const moreMB = median(found.many.mb) - median(found.none.mb)
  console.log(`${WAITING} waiting runs, ${rows} rows each; medians of ${REPS}`)
  console.log(
    `ready after ${median(found.none.ms).toFixed(0)} ms with none, ${median(found.many.ms).toFixed(0)} ms with all`,
  )
  console.log(
    `memory ${median(found.none.mb).toFixed(1)} MB with none, ${median(found.many.mb).toFixed(1)} MB with all`,
  )
  print('longer until it is ready, ms', moreMs.toFixed(1), `at most ${LIMITS.moreMs}`, moreMs <= LIMITS.moreMs)
  print('more memory after 4 s, MB', moreMB.toFixed(1), `at most ${LIMITS.moreMB}`, moreMB <= LIMITS.moreMB)
}

if (PARTS.includes('steps')) {
  const { bot } = await open('steps')
  const result = (name) => join(folder, ids[name])
  const measure = async (names) => {
    for (const name of names) rmSync(result(name), { force: true })
    for (const name of names) await writes(name, '/steps')
    await until(() => names.every((name) => existsSync(result(name))))
    await sleep(200)
    return names.map((name) => JSON.parse(readFileSync(result(name), 'utf8')))
  }
  const alone = []
  const rates = []
  // The first run compiles the code.
  await measure(['c0'])
  for (let rep = 0; rep < REPS; rep++) {
    const [{ times }] = await measure(['c0'])
    alone.push(median(times))
    const runs = await measure(channels)
    const ms = Math.max(...runs.map(({ endedMs }) => endedMs)) - Math.min(...runs.map(({ startedMs }) => startedMs))
    rates.push((RUNS * STEPS * 1000) / ms)
  }
  await close(bot)
  print(
    'one step of a run alone, p50, ms',
    median(alone).toFixed(2),
    `at most ${LIMITS.stepMs}`,
    median(alone) <= LIMITS.stepMs,
  )
  const perSecond = median(rates)
  print(
    `steps a second of ${RUNS} runs at once`,
    perSecond.toFixed(0),
    `at least ${LIMITS.stepsPerSecond}`,
    perSecond >= LIMITS.stepsPerSecond,
  )
}
await service.close()
rmSync(folder, { recursive: true, force: true })
process.exit(isWithin ? 0 : 1)
