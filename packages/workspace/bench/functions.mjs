// Compares functions in workerd: the size of the module, the first answer of a new workerd, and CPU time for each event.
//   node packages/workspace/bench/functions.mjs        after npm run build; REPS=7 EVENTS=3000
// Each bot answers /echo with one message. They take turns in every round, each in a new workerd, and a stub in this process is the chat
// service of all. The store of one row is a Redis, which requires redis-server. Needs Linux, for the CPU times of processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { freePort } from '../dist/lib/free-port.test.fixture.js'
import { workerd, workerdConfig } from '../dist/lib/workerd.test.fixture.js'
import { botId, minified, prepareSubjects } from './functions/subjects.mjs'

// The rig of Redis is in the package that owns it, and is not published: there is no name to import it by.
const rig = (file) => import(new URL(`../../cluster/dist/lib/${file}.test.fixture.js`, import.meta.url).href)
const { redisServer, startRedis } = await rig('redis-rig')
const { startRest } = await rig('redis-rest')

const ROUNDS = Number(process.env.REPS ?? 7)
const EVENTS = Number(process.env.EVENTS ?? 3000)
const WARM_UP = 500
/** Requests at the same time. */
const AT_ONCE = 8
/** Of /proc/<pid>/stat. */
const TICK_MS = 10
const PATIENCE_MS = 60_000

const folder = mkdtempSync(path.join(tmpdir(), 'botwright-functions-bench-'))
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
const stub = await startStub()
const redis = redisServer === undefined ? undefined : await startRedis()
const rest = redis && (await startRest(redis))
try {
  const subjects = await prepareSubjects(folder, { origin: stub.origin, redis: rest })
  const samples = new Map(subjects.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const i of subjects.keys()) {
      const subject = subjects[(round + i) % subjects.length]
      samples.get(subject.name).push(await measure(subject, round))
    }
  await print(subjects, samples)
} finally {
  await rest?.[Symbol.asyncDispose]()
  await redis?.[Symbol.asyncDispose]()
  stub.server.close()
  stub.server.closeAllConnections()
  agent.destroy()
  rmSync(folder, { recursive: true, force: true })
}

async function print(subjects, samples) {
  console.log(
    '|  | minified, kB | gzip, kB | first answer, ms | CPU until then, ms | CPU for each event, µs |\n|---|---|---|---|---|---|',
  )
  for (const { name, file } of subjects) {
    const small = await minified(file)
    const cell = (field) => {
      const values = samples.get(name).map((one) => one[field])
      return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`
    }
    const sizes = [small.length, gzipSync(small, { level: 9 }).length].map((bytes) => (bytes / 1000).toFixed(1))
    console.log(`| ${[name, ...sizes, cell('firstMs'), cell('firstCpuMs'), cell('eventUs')].join(' | ')} |`)
    console.error(`${name}: ${(readFileSync(file).length / 1000).toFixed(1)} kB as it runs here`)
  }
}

/** A new workerd: its first answer, and then its CPU time for each of many events. */
async function measure({ name, file, env, request: requestOf }, round) {
  const port = await freePort()
  const place = path.join(folder, `${name.replaceAll(/\W+/g, '-')}-${round}`)
  mkdirSync(place)
  writeFileSync(path.join(place, 'bot.mjs'), readFileSync(file))
  writeFileSync(path.join(place, 'config.capnp'), workerdConfig(port, env, ['bot.mjs']))
  // Rounds share a Redis: the events of each one are new.
  let n = round * 1_000_000
  const send = () => post(port, requestOf(++n))
  const answered = stub.answered
  const program = await workerd()
  const beganMs = performance.now()
  const child = spawn(program, ['serve', 'config.capnp'], { cwd: place, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const one of [child.stdout, child.stderr]) one.on('data', (part) => (output += part))
  const fail = (fact) => new Error(`${name}: ${fact}\n${output}`)
  try {
    while ((await send().catch(() => 0)) !== 200) {
      if (child.exitCode !== null || performance.now() - beganMs > PATIENCE_MS) throw fail('workerd does not answer')
      await pause(2)
    }
    await until(
      () => stub.answered > answered,
      () => fail('no first answer'),
    )
    const firstMs = stub.answeredAtMs - beganMs
    const firstCpuMs = cpuMs(child.pid)
    await many(WARM_UP, send, fail)
    const beforeMs = cpuMs(child.pid)
    await many(EVENTS, send, fail)
    return { firstMs, firstCpuMs, eventUs: ((cpuMs(child.pid) - beforeMs) * 1000) / EVENTS }
  } finally {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/** Sends so many events, and waits for all their answers. */
async function many(count, send, fail) {
  const wanted = stub.answered + count
  let left = count
  const worker = async () => {
    while (left-- > 0) if ((await send()) !== 200) throw fail('an event was refused')
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await until(
    () => stub.answered >= wanted,
    () => fail(`${wanted - stub.answered} answers are missing`),
  )
}

async function until(isTrue, error) {
  const untilMs = performance.now() + PATIENCE_MS
  while (!isTrue()) {
    if (performance.now() > untilMs) throw error()
    await pause(1)
  }
}

function post(port, { body, headers }) {
  return new Promise((resolve, reject) => {
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = { agent, host: '127.0.0.1', port, method: 'POST', headers: { ...headers, ...length } }
    const sent = request(options, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The chat service of both kinds of bots. It counts their messages. */
async function startStub() {
  const stub = { answered: 0, answeredAtMs: 0 }
  const message = JSON.stringify({ id: botId, channel_id: botId, content: 'hello' })
  const sent = JSON.stringify({
    ok: true,
    result: { message_id: 1, date: 1_790_000_000, chat: { id: 9000, type: 'private' }, text: 'hello' },
  })
  const server = createServer((req, res) => {
    const isMessage = /\/(?:messages|sendMessage)$/.test(req.url)
    req.resume()
    req.on('end', () => {
      if (isMessage) {
        stub.answered++
        stub.answeredAtMs = performance.now()
      }
      res.setHeader('content-type', 'application/json')
      if (req.url === '/v1/me') res.end(JSON.stringify({ id: botId, username: 'bench' }))
      else if (isMessage) res.end(req.url.startsWith('/v1/') ? message : sent)
      else res.writeHead(404).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(stub, { server, origin: `http://127.0.0.1:${server.address().port}` })
}

/** The CPU time of a process and its threads. */
function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
