// Sends messages in virtual time through the real budget and a real journal, while the process is killed with SIGKILL now and then,
// and judges what arrived by four models of the service's limit (§8: 30 a minute).
//   SENDS=10000 KILLS=100 SEED=1 node packages/workspace/soak/sends.mjs
// Needs the build. Exit code 0: no model would have answered 429.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VirtualClock, sleep } from '@botwright/clock'
import { openJournal } from '@botwright/events'
import { limits } from '@botwright/protocol'
import { MessageBudget } from '@botwright/rest'

const SENDS = Number(process.env.SENDS ?? 10_000)
const KILLS = Number(process.env.KILLS ?? 100)
const SEED = Number(process.env.SEED ?? 1)
const { requests, seconds } = limits.messages
const windowMs = seconds * 1000
const TIMEOUT_MS = 15_000

/** Mulberry32: the same seed gives the same waits. */
const chance = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

/** Each model: whether it takes a message that arrives at this time. */
const models = {
  fixedWindow() {
    let startMs = -Infinity
    let count = 0
    return (ms) => {
      if (ms >= startMs + windowMs) [startMs, count] = [ms, 0]
      return ++count <= requests
    }
  },
  slidingWindow() {
    const times = []
    return (ms) => {
      while (times.length > 0 && times[0] <= ms - windowMs) times.shift()
      return times.push(ms) <= requests
    }
  },
  tokenBucket() {
    let tokens = requests
    let lastMs
    return (ms) => {
      tokens = Math.min(requests, tokens + ((ms - (lastMs ?? ms)) / windowMs) * requests)
      lastMs = ms
      return --tokens >= -1e-9
    }
  },
  calendarMinute() {
    let minute
    let count = 0
    return (ms) => {
      const now = Math.floor(ms / windowMs)
      if (now !== minute) [minute, count] = [now, 0]
      return ++count <= requests
    }
  },
}

if (process.argv[2] === 'child') await child(JSON.parse(process.argv[3]))
else await parent()

/** One process of the bot: sends bursts and single messages; writes down when each arrives at the service. */
async function child({ file, startMs, seed }) {
  const clock = new VirtualClock(startMs)
  const random = chance(seed)
  const journal = openJournal({ file, baseUrl: 'http://127.0.0.1:9/v1', botId: 'b', clock })
  const budget = new MessageBudget({
    clock,
    requests,
    seconds,
    timeoutMs: TIMEOUT_MS,
    sendTimes: {
      load: () => JSON.parse(journal.getValue('send_times') ?? '[]'),
      save: (times) => void journal.setValue('send_times', JSON.stringify(times)),
    },
  })
  const priorities = ['answer', 'reply', 'broadcast']
  const send = async () => {
    await budget.take(priorities[Math.floor(random() * 3)])
    await sleep(clock, random() ** 4 * 3000)
    // Written at once: what has arrived before a kill has arrived.
    writeSync(3, `${Math.round(clock.now())}\n`)
    await sleep(clock, random() ** 4 * 3000)
    budget.release(true)
  }
  for (;;) {
    const burst = random() < 0.3 ? Math.ceil(random() * 60) : 1
    for (let i = 0; i < burst; i++) void send()
    await clock.advance(random() ** 2 * 8000)
  }
}

async function parent() {
  const root = mkdtempSync(join(tmpdir(), 'botwright-sends-'))
  const random = chance(SEED)
  const file = join(root, 'journal.db')
  const arrivals = []
  let startMs = Date.UTC(2026, 0, 1)
  let kills = 0
  try {
    while (arrivals.length < SENDS) {
      const share = Math.ceil((SENDS / (KILLS + 1)) * (0.5 + random()))
      const until = kills < KILLS ? Math.min(arrivals.length + share, SENDS) : SENDS
      await run({ file, startMs, seed: Math.floor(random() * 2 ** 31) }, arrivals, until)
      if (arrivals.length < SENDS || kills < KILLS) kills++
      // The next process starts at once, or a little later.
      startMs = arrivals.at(-1) + Math.ceil(random() ** 3 * 40_000)
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  arrivals.sort((a, b) => a - b)
  const refused = Object.fromEntries(
    Object.entries(models).map(([name, make]) => {
      const takes = make()
      return [name, arrivals.filter((ms) => !takes(ms)).length]
    }),
  )
  const hours = (arrivals.at(-1) - arrivals[0]) / 3_600_000
  const perMinute = Math.round((arrivals.length / hours / 60) * 10) / 10
  console.log(JSON.stringify({ sends: arrivals.length, kills, perMinute, refused }))
  process.exitCode = Object.values(refused).some((count) => count > 0) ? 1 : 0
}

/** Runs one process until so many messages have arrived, then kills it; what it wrote until then counts. */
function run(options, arrivals, until) {
  return new Promise((resolve, reject) => {
    const process_ = fork(fileURLToPath(import.meta.url), ['child', JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'ipc'],
    })
    let rest = ''
    process_.stdio[3].on('data', (text) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) arrivals.push(Number(line))
      if (arrivals.length >= until) process_.kill('SIGKILL')
    })
    process_.once('error', reject)
    process_.once('close', (code, signal) =>
      signal === 'SIGKILL' ? resolve() : reject(new Error(`the sending process ended with ${code}`)),
    )
  })
}
