// Runs one bot on several instances while instances are killed and frozen and Redis is restarted. Counts lost, repeated and reordered events.
//   MACHINES=3 CHANNELS=200 EVENTS=30000 KILLS=200 FREEZES=50 RESTARTS=10 CUTS=0 FREEZE_MS=8000 SEED=1 node packages/workspace/soak/cluster/chaos.mjs
// A third of the kills and freezes hits the leader. CUTS disconnects instances from the network instead, each in its own network namespace (root, `ip`).
// FREEZE_MS is longer than every lease. Needs redis-server and the build. Exit code 0: all guarantees held.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisCluster } from '@botwright/cluster'
import { judge, newFolder, startBot, startWorkshop, token, writeBot, writer } from '../rig.mjs'
import { number, SEED, seeded } from '../settings.mjs'
import { botIdOf, notesOf, notingHandler, startRedis } from './rig.mjs'

const MACHINES = number('MACHINES', 3)
const CHANNELS = number('CHANNELS', 200)
const EVENTS = number('EVENTS', 30_000)
const KILLS = number('KILLS', 200)
const FREEZES = number('FREEZES', 50)
const RESTARTS = number('RESTARTS', 10)
const CUTS = number('CUTS', 0)
const FREEZE_MS = number('FREEZE_MS', 8000)
const random = seeded(SEED)

const folder = newFolder('cluster')
const root = writeBot(folder, { 'events/message.js': notingHandler })
const channels = Array.from({ length: CHANNELS }, (_, i) => `c${i}`)
const service = await startWorkshop(channels)
const botId = await botIdOf(service, token)
const networks = CUTS > 0 ? await openNetworks() : undefined
const redis = await startRedis(folder, { bind: networks ? ['127.0.0.1', networks.host] : ['127.0.0.1'] })
const baseUrl = networks ? networks.through(service.base_url) : service.base_url
const write = writer(service)
const written = new Map(channels.map((name) => [name, 0]))
const counts = { kills: 0, freezes: 0, restarts: 0, cuts: 0, setAside: 0, oddEnds: 0, leaderHit: 0 }
const trouble = [
  ...Array(KILLS).fill('kill'),
  ...Array(FREEZES).fill('freeze'),
  ...Array(RESTARTS).fill('restart'),
  ...Array(CUTS).fill('cut'),
]
let stopping = false
let done = 0

const machines = Array.from({ length: MACHINES }, (_, place) => open(place))
await Promise.all(machines.map(({ ready }) => ready))
const startedAt = Date.now()
const writing = writeMessages()
while (trouble.length > 0) {
  const [next] = trouble.splice(Math.floor(random() * trouble.length), 1)
  await act(next)
  done++
  await sleep(100 + random() * 500)
}
await writing
for (const machine of machines) await machine.thawed
const limitMs = Date.now() + 120_000
while (judge(await notesOf(redis, service), written).lost > 0 && Date.now() < limitMs) await sleep(500)
stopping = true
const codes = await Promise.all(
  machines.map(async ({ child, ended }) => {
    child.kill('SIGTERM')
    return ended
  }),
)
const { lost, repeated, unmarked, disorder } = judge(await notesOf(redis, service), written)
await redis.stop()
await service.close()
await networks?.close()
const result = {
  seed: SEED,
  seconds: Math.round((Date.now() - startedAt) / 1000),
  events: EVENTS,
  ...counts,
  lost,
  repeated,
  unmarked,
  disorder: disorder.length,
  codes,
}
console.log(JSON.stringify(result))
for (const line of disorder.slice(0, 10)) console.error(line)
const good =
  lost === 0 && unmarked === 0 && disorder.length === 0 && counts.setAside === 0 && codes.every((code) => code === 0)
if (good) rmSync(folder, { recursive: true, force: true })
else console.error(`a guarantee was broken; the notes and logs are in ${folder}`)
process.exit(good ? 0 : 1)

function open(place) {
  const machine = startBot({
    root,
    args: ['--cluster', redis.url, '--state', join(folder, `state-${place}`)],
    env: { BOT_TOKEN: token, BOT_BASE_URL: baseUrl, LOG_LEVEL: 'info' },
    ...(networks && { network: networks.names[place] }),
    onLine: (line) => {
      if (line.includes('event_set_aside')) counts.setAside++
      writeFileSync(join(folder, `machine-${place}.log`), `${line}\n`, { flag: 'a' })
    },
  })
  void machine.ended.then((code) => {
    if (!machine.killed && !stopping) {
      counts.oddEnds++
      console.error(`instance ${place} ended by itself: ${code}`)
    }
  })
  return machine
}

/** The index of the next target: the leader, if known, in one case of three. */
async function pick() {
  let place = Math.floor(random() * MACHINES)
  if (random() < 1 / 3) {
    const { leader } = await redisCluster(redis.url)
      .status({ baseUrl, botId })
      .catch(() => ({}))
    const found = machines.findIndex(({ child }) => leader?.includes(`-${child.pid}-`))
    if (found >= 0) {
      counts.leaderHit++
      place = found
    }
  }
  return place
}

async function act(what) {
  if (what === 'restart') {
    counts.restarts++
    await redis.kill()
    await sleep(random() * 4000)
    return redis.start()
  }
  const place = await pick()
  const machine = machines[place]
  await machine.thawed
  if (what === 'kill') {
    counts.kills++
    machine.killed = true
    machine.child.kill('SIGKILL')
    await machine.ended
    machines[place] = open(place)
    // Occasionally, the next fault hits a starting instance.
    if (random() < 0.8) await Promise.race([machines[place].ready, sleep(10_000)])
  } else if (what === 'freeze') {
    counts.freezes++
    machine.child.kill('SIGSTOP')
    machine.thawed = sleep(FREEZE_MS).then(() => machine.child.kill('SIGCONT'))
    // Other instances are hit in the meantime, but never all of them for long.
    if (random() < 0.5) await machine.thawed
  } else {
    counts.cuts++
    networks.cut(place, true)
    machine.thawed = sleep(FREEZE_MS).then(() => networks.cut(place, false))
    if (random() < 0.5) await machine.thawed
  }
}

/** Writes to random channels during the faults; each channel has its own count. */
async function writeMessages() {
  const total = trouble.length
  for (let sent = 0; sent < EVENTS; sent++) {
    // Stay close to the number of faults, so that each of them hits running events.
    while (total > 0 && sent > ((done + 1) / total) * EVENTS) await sleep(5)
    const name = channels[Math.floor(random() * CHANNELS)]
    await write(name, `${name} ${written.get(name) + 1}`)
    written.set(name, written.get(name) + 1)
  }
}

/** A network namespace for each instance, connected to this host by a link that can be cut. They can reach only this host. */
async function openNetworks() {
  const ip = (...args) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const mark = `bw${process.pid % 10_000}`
  const host = '10.213.77.1'
  ip('link', 'add', mark, 'type', 'bridge')
  ip('addr', 'add', `${host}/24`, 'dev', mark)
  ip('link', 'set', mark, 'up')
  const names = Array.from({ length: MACHINES }, (_, place) => `${mark}n${place}`)
  names.forEach((name, place) => {
    ip('netns', 'add', name)
    ip('link', 'add', `${mark}h${place}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('link', 'set', `${mark}h${place}`, 'master', mark, 'up')
    ip('-n', name, 'addr', 'add', `10.213.77.${place + 2}/24`, 'dev', 'eth0')
    ip('-n', name, 'link', 'set', 'eth0', 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
  })
  // The service listens only on loopback, so this forwards the bytes.
  const { port } = service
  const bridge = createServer((socket) => {
    const inner = connect(port, '127.0.0.1')
    socket.pipe(inner).pipe(socket)
    for (const one of [socket, inner]) one.on('error', () => (socket.destroy(), inner.destroy()))
  }).listen(0, host)
  await new Promise((resolve) => bridge.once('listening', resolve))
  return {
    host,
    names,
    through: (url) => url.replace(/\/\/[^/]+/, `//${host}:${bridge.address().port}`),
    cut: (place, off) => ip('link', 'set', `${mark}h${place}`, off ? 'down' : 'up'),
    async close() {
      bridge.close()
      for (const name of names) ip('netns', 'del', name)
      ip('link', 'del', mark)
    },
  }
}
