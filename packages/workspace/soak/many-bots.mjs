// Many bots poll the local service while people write; 25 bots share a server, so each message is 25 events. Needs the build.
//   BOTS=500 RATE=200 SECONDS=60 node packages/workspace/soak/many-bots.mjs
// DATA=<new file> stores the world in a file; otherwise it is in memory. CHECKOUT=<folder> runs the built service of another checkout.
// Reports deliveries per second, the time from a message's acceptance to its arrival in a poll (p50, p99), memory for each waiting
// poll, each message and each event of a bot, and how busy both processes were. Exit code 0: every bot got each message of its server once and in order,
// and p99 was within MAX_P99_MS (50).
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { number } from './settings.mjs'

const BOTS = number('BOTS', 500)
const RATE = number('RATE', 200)
const SECONDS = number('SECONDS', 60)
const MAX_P99_MS = number('MAX_P99_MS', 50)
const BOTS_PER_SERVER = 25
const SERVERS = Math.ceil(BOTS / BOTS_PER_SERVER)

async function serve() {
  const { CHECKOUT } = process.env
  const built = CHECKOUT
    ? pathToFileURL(resolve(CHECKOUT, 'packages/service/dist/index.js')).href
    : '@botwright/service'
  const { startService } = await import(built)
  const bots = Array.from({ length: BOTS }, (_, i) => ({
    username: `bot-${i}`,
    owner: 'ann',
    token: `token-of-bot-${i}`,
  }))
  const servers = Array.from({ length: SERVERS }, (_, s) => ({
    name: `server-${s}`,
    owner: 'ann',
    bots: bots.slice(s * BOTS_PER_SERVER, (s + 1) * BOTS_PER_SERVER).map(({ username }) => username),
    channels: [{ name: 'general' }],
  }))
  const service = await startService({
    port: 0,
    ...(process.env.DATA && { data: process.env.DATA }),
    world: { people: [{ username: 'ann', token: 'token-of-ann' }], bots, servers },
  })
  let usage = process.cpuUsage()
  let loop = performance.eventLoopUtilization()
  process.on('message', () => {
    globalThis.gc()
    globalThis.gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    const used = process.cpuUsage(usage)
    const utilization = performance.eventLoopUtilization(loop).utilization
    process.send({ heapUsed, external, rss, cpuMs: (used.user + used.system) / 1000, utilization })
    usage = process.cpuUsage()
    loop = performance.eventLoopUtilization()
  })
  process.once('disconnect', () => void service.close())
  process.send({
    port: service.port,
    channels: Array.from({ length: SERVERS }, (_, s) => service.world.servers[`server-${s}`].channels.general),
  })
}

/**
 * A connection with one request at a time. Node's own client would use a core for 5,000 polls per second, and the service needs
 * it. A connection closed before its response is opened again for a GET: a poll with the same `after` loses nothing.
 */
class Connection {
  reconnects = 0
  #port
  #socket
  #received = Buffer.alloc(0)
  #pending

  constructor(port) {
    this.#port = port
    this.#open()
  }

  #open() {
    this.#received = Buffer.alloc(0)
    const socket = connect(this.#port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (socket !== this.#socket) return
      const pending = this.#pending
      if (pending === undefined) return
      if (!pending.head.startsWith('GET ')) return pending.reject(new Error(`the connection closed: ${pending.head}`))
      this.reconnects++
      this.#open()
      this.#socket.write(pending.head)
    })
    this.#socket = socket
  }

  call(method, path, authorization, body) {
    const json = body === undefined ? '' : JSON.stringify(body)
    const length =
      body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n`
    const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n${length}\r\n${json}`
    return new Promise((resolve, reject) => {
      this.#pending = { head, resolve, reject }
      if (this.#socket.destroyed) this.#open()
      this.#socket.write(head)
    })
  }

  #receive(bytes) {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.toString('latin1', 0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    if (this.#received.length < end + 4 + length) return
    const { resolve, reject } = this.#pending
    this.#pending = undefined
    const text = this.#received.toString('utf8', end + 4, end + 4 + length)
    this.#received = Buffer.alloc(0)
    if (head.startsWith('HTTP/1.1 200 ')) resolve(JSON.parse(text))
    else reject(new Error(`${head.slice(0, 60)} ${text}`))
  }

  close() {
    this.#pending = undefined
    this.#socket.destroy()
  }
}

async function measure() {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--expose-gc'] })
  const [{ port, channels }] = await once(child, 'message')
  const measure = async () => {
    child.send('measure')
    return (await once(child, 'message'))[0]
  }
  const connections = Array.from({ length: BOTS }, () => new Connection(port))
  const writing = channels.map(() => new Connection(port))

  const waits = []
  const faults = []
  let polls = 0
  let stopping = false
  const received = Array.from({ length: BOTS }, () => [])
  const lastIds = Array(BOTS).fill(0)
  async function poll(bot) {
    const authorization = `Bot token-of-bot-${bot}`
    const connection = connections[bot]
    let { last } = await connection.call('GET', '/v1/events?after=0', authorization)
    while (!stopping) {
      const page = await connection.call('GET', `/v1/events?after=${last}&wait=25`, authorization)
      const now = Date.now()
      polls++
      last = page.last
      for (const { id, type, data, created_at } of page.events) {
        if (type !== 'message') continue
        if (id <= lastIds[bot]) faults.push(`bot ${bot}: id ${id} after ${lastIds[bot]}`)
        lastIds[bot] = id
        received[bot].push(Number(data.content))
        waits.push(now - Date.parse(created_at))
      }
    }
  }

  // Make one round first, so that code loaded by the first call does not count as a poll's memory.
  await Promise.all(connections.map((each, bot) => each.call('GET', '/v1/me', `Bot token-of-bot-${bot}`)))
  await sleep(500)
  const connected = await measure()
  received.forEach((_, bot) => void poll(bot))
  await sleep(2000)
  const idle = await measure()

  const written = Array(SERVERS).fill(0)
  const startMs = performance.now()
  const cpuBefore = process.cpuUsage()
  // One writer per server, so that the order of its messages is known. Each keeps its schedule, however long the last call took.
  const writers = channels.map(async (channel, server) => {
    const stepMs = (1000 * SERVERS) / RATE
    for (let n = 0; ; n++) {
      const atMs = startMs + (n + server / SERVERS) * stepMs
      if (atMs - startMs >= SECONDS * 1000) return
      const earlyMs = atMs - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      const path = `/people/v1/channels/${channel}/messages`
      await writing[server].call('POST', path, 'Person token-of-ann', { content: String(n) })
      written[server]++
    }
  })
  await Promise.all(writers)
  const seconds = (performance.now() - startMs) / 1000
  const wanted = (bot) => written[Math.floor(bot / BOTS_PER_SERVER)]
  for (let i = 0; i < 600 && received.some((all, bot) => all.length < wanted(bot)); i++) await sleep(100)
  const secondsUntilDelivered = (performance.now() - startMs) / 1000
  const busy = await measure()
  const cpu = process.cpuUsage(cpuBefore)

  received.forEach((all, bot) => {
    if (all.length !== wanted(bot)) faults.push(`bot ${bot}: ${all.length} of ${wanted(bot)} messages`)
    const at = all.findIndex((n, index) => n !== index)
    if (at >= 0) faults.push(`bot ${bot}: message ${all[at]} in place ${at}`)
  })
  stopping = true
  child.disconnect()
  const reconnects = connections.reduce((sum, each) => sum + each.reconnects, 0)
  for (const each of [...connections, ...writing]) each.close()

  waits.sort((a, b) => a - b)
  const share = (part) => waits[Math.min(waits.length - 1, Math.floor(waits.length * part))]
  const messages = written.reduce((sum, count) => sum + count, 0)
  const bytes = (before, after, count) => ({
    heap: Math.round((after.heapUsed - before.heapUsed) / count),
    rss: Math.round((after.rss - before.rss) / count),
  })
  const result = {
    bots: BOTS,
    servers: SERVERS,
    messages,
    messages_per_second: Math.round(messages / seconds),
    deliveries_per_second: Math.round(waits.length / secondsUntilDelivered),
    polls_per_second: Math.round(polls / seconds),
    wake_up_ms: { p50: share(0.5), p90: share(0.9), p99: share(0.99), max: waits.at(-1) },
    bytes_per_waiting_poll: bytes(connected, idle, BOTS),
    bytes_per_message: bytes(idle, busy, messages),
    bytes_per_event: bytes(idle, busy, waits.length),
    service: {
      cpu_share: round(busy.cpuMs / 1000 / seconds),
      loop_busy: round(busy.utilization),
      rss_mb: Math.round(busy.rss / 2 ** 20),
    },
    this_client: { cpu_share: round((cpu.user + cpu.system) / 1e6 / seconds) },
    reconnects,
    faults: faults.length,
  }
  console.log(JSON.stringify(result, undefined, 2))
  for (const fault of faults.slice(0, 10)) console.log(`FAULT ${fault}`)
  if (share(0.99) > MAX_P99_MS) console.log(`p99 is above ${MAX_P99_MS} ms: check which of the two processes was busy`)
  return faults.length > 0 || share(0.99) > MAX_P99_MS ? 1 : 0
}

function round(value) {
  return Math.round(value * 100) / 100
}

if (process.send) await serve()
else process.exitCode = await measure()
