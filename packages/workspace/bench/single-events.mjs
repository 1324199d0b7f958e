// CPU time of a bot's process for each event, with one event at a time and a reply to each: node single-events.mjs <rig>
// Environment: PEERS (default botwright-worker,botwright-recording), REPS (interleaved runs of each, default 5).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const rig = path.resolve(process.argv[2] ?? '.')
process.chdir(rig)
const { forkReady } = await import(pathToFileURL(path.join(rig, 'lib/util.mjs')).href)
const peers = (process.env.PEERS ?? 'botwright-worker,botwright-recording').split(',')
const reps = Number(process.env.REPS ?? 5)
/** The difference of a long and a short run excludes the start of the process and its first events. */
const [SHORT, LONG] = [600, 3600]

/** The CPU time of all threads of a process, in microseconds. */
const cpuOf = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000)
    .reduce((sum, one) => sum + one, 0)

async function run(peer, events) {
  const stub = await forkReady('lib/live-stub.mjs', { env: { N: events, WARM: 300 } })
  const finished = once(stub.child, 'message', { signal: AbortSignal.timeout(60_000) })
  const env = { BASE_URL: `http://127.0.0.1:${stub.port}`, N: 1e9, WARM: 1e9, REPLY: '1', CMDS: 20, CHATS: 1 }
  const bot = spawn(process.execPath, ['lib/poll-child.mjs', peer], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
  try {
    await finished
    return cpuOf(bot.pid)
  } finally {
    bot.kill('SIGKILL')
    await stub.stop()
  }
}

const measured = Object.fromEntries(peers.map((peer) => [peer, []]))
for (let i = 0; i < reps; i++)
  for (const peer of peers) {
    const short = await run(peer, SHORT)
    measured[peer].push(((await run(peer, LONG)) - short) / (LONG - SHORT))
  }
for (const peer of peers) {
  const sorted = measured[peer].sort((a, b) => a - b)
  const [least, median, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].map(Math.round)
  console.log(`${peer}: ${median} us for each event (${least}-${most})`)
}
process.exit(0)
