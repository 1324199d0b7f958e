// Measures hot reload on the real `framework dev`. Needs the build.
//   COUNT=1000 RATE=50 node packages/workspace/soak/reload.mjs
//   FILES=100 SAVES=50 COUNT=200 RATE=20 PAUSE_MS=700 GAP_MS=150 node packages/workspace/soak/reload.mjs
// First part: SAVES saves, one by one, each measured from the save to the first event that the new code handles. Second part: COUNT saves,
// GAP_MS apart, while RATE events a second arrive. Each event must be handled exactly once, by the code of one save. The code of each save
// starts a timer when it loads and must clear it. Exit code 0: p95 under 100 ms, no event lost, duplicated or mixed, every timer cleared,
// heap growth under 5 MB, and as many open handles and threads as before.
// Handlers write to a file, since the service allows a bot only 30 messages a minute.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { homeOf, newFolder } from './rig.mjs'
import { number } from './settings.mjs'

const FILES = number('FILES', 100)
const SAVES = number('SAVES', 50)
const COUNT = number('COUNT', 200)
const RATE = number('RATE', 20)
/** Time between two saves of the first part; a person's saves are further apart. */
const PAUSE_MS = number('PAUSE_MS', 700)
/** Time between two saves of the second part. */
const GAP_MS = number('GAP_MS', 150)
/**
 * Maximum wait of a handler in the second part. All events are in one channel, one after the other, so the average wait must allow
 * RATE. In the first part no handler waits, because the measured event would wait too.
 */
const WAIT_MS = Math.min(40, Math.floor(1000 / RATE))
const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const root = newFolder('reload')
const notes = join(root, 'notes.log')
const heapFile = join(root, 'heap.log')
const lives = join(root, 'lives.log')

/** `/cmd0` records the version that it was loaded with and the one that it sees after a wait. They differ if code of two saves is mixed. */
const render = (name) => `import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { command, integer, text } from '@botwright/framework'
${name === 'cmd0' ? `import { version } from '../lib/version.ts'` : 'const version = 0'}
export default command({
  description: ${JSON.stringify(name)},
  args: { number: text(), waitMs: integer() },
  run: async (ctx) => {
    const atMs = performance.timeOrigin + performance.now()
    if (ctx.args.waitMs > 0) await sleep(ctx.args.waitMs)
    const { version: again } = ${name === 'cmd0' ? `await import('../lib/version.ts')` : '{ version }'}
    appendFileSync(${JSON.stringify(notes)}, \`\${ctx.args.number} \${version} \${again} \${atMs}\\n\`)
  },
})
`
/** The saved file, which `/cmd0` imports. It starts a timer that must end with it. */
const renderVersion = (version) => `import { appendFileSync } from 'node:fs'
import { onDispose } from '@botwright/framework'
export const version = ${version}
const timer = setInterval(() => {}, 10)
appendFileSync(${JSON.stringify(lives)}, 'begun ${version}\\n')
onDispose(() => {
  clearInterval(timer)
  appendFileSync(${JSON.stringify(lives)}, 'ended ${version}\\n')
})
`
mkdirSync(join(root, 'commands'))
mkdirSync(join(root, 'lib'))
writeFileSync(join(root, 'lib/version.ts'), renderVersion(0))
writeFileSync(lives, '')
homeOf(root)
writeFileSync(notes, '')
// Created now, because the folder's watcher opens a handle for each later file.
writeFileSync(heapFile, '')
// On a signal, collects garbage and reports the heap of the main thread.
writeFileSync(
  join(root, 'heap.mjs'),
  `import v8 from 'node:v8'
import vm from 'node:vm'
import { appendFileSync, readdirSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
if (isMainThread && process.argv.includes('dev')) {
  v8.setFlagsFromString('--expose-gc')
  const gc = vm.runInNewContext('gc')
  const count = (folder) => {
    try {
      return readdirSync(folder).length
    } catch {
      return 0 // only Linux has it
    }
  }
  const open = () => ({
    kinds: process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout' && kind !== 'Immediate'),
    threads: count('/proc/self/task'),
    files: count('/proc/self/fd'),
  })
  process.on('SIGUSR2', () => {
    gc()
    const { heapUsed, rss } = process.memoryUsage()
    appendFileSync(${JSON.stringify(heapFile)}, JSON.stringify({ heapUsed, rss, ...open() }) + '\\n')
  })
}
`,
)
for (let i = 0; i < FILES; i++) writeFileSync(join(root, `commands/cmd${i}.ts`), render(`cmd${i}`))
const file = join(root, 'lib/version.ts')

const dev = spawn(
  process.execPath,
  ['--import', join(root, 'heap.mjs'), join(checkout, 'packages/framework/bin/framework.cjs'), 'dev', '--port', '0'],
  { cwd: root, env: { ...process.env, BOT_TOKEN: '', NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
)
let output = ''
for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => (output = (output + text).slice(-20_000)))
const ended = new Promise((resolve) => dev.once('exit', resolve))

let failed = true
try {
  failed = !(await measure())
} catch (error) {
  console.error(error, output.slice(-3000))
} finally {
  dev.kill('SIGTERM')
  await Promise.race([ended, sleep(10_000).then(() => dev.kill('SIGKILL'))])
  rmSync(root, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

async function measure() {
  await until(() => /Chat +http/.test(output) && output.includes('/cmd0'), 30_000, 'framework dev is ready')
  const post = await person(/http:\/\/127\.0\.0\.1:\d+/.exec(output)[0])
  let sent = 0
  const send = (waitMs = 0) => post(`/cmd0 ${sent++} ${waitMs}`)
  let version = 0
  const save = () => {
    version++
    writeFileSync(file, renderVersion(version))
  }

  await send()
  await until(() => noted().length === 1, 5000, 'the first event')
  const latencies = []
  for (let i = 0; i < SAVES; i++) {
    await sleep(PAUSE_MS)
    const savedMs = performance.timeOrigin + performance.now()
    save()
    let first
    while (!first) {
      const next = sleep(8)
      await send()
      await next
      first = noted().find((note) => note.version === version)
      if (performance.timeOrigin + performance.now() - savedMs > 10_000) throw new Error(`save ${version} was not seen`)
    }
    latencies.push(first.atMs - savedMs)
  }
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.ceil(share * latencies.length) - 1)]
  console.log(
    `${SAVES} saves with ${FILES} command files: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, max ${at(1).toFixed(1)} ms`,
  )

  const before = await atRest()
  const saves = (async () => {
    for (let i = 0; i < COUNT; i++) {
      save()
      await sleep(GAP_MS)
    }
  })()
  let saving = true
  saves.finally(() => (saving = false))
  while (saving) await Promise.all([send(sent % WAIT_MS), sleep(1000 / RATE)])
  await saves
  await until(() => noted().length >= sent, 15_000, `${sent} events handled, ${noted().length} so far`).catch((error) =>
    console.error(error.message),
  )
  const after = await atRest()
  const counts = new Map()
  for (const note of noted()) counts.set(note.number, (counts.get(note.number) ?? 0) + 1)
  const mixed = noted().filter((note) => note.version !== note.again).length
  const twice = [...counts.values()].filter((count) => count > 1).length
  const lost = sent - counts.size
  const grownMb = (after.heapUsed - before.heapUsed) / 2 ** 20
  const versions = new Set(noted().map((note) => note.version)).size
  console.log(
    `${COUNT} saves at ${RATE} events a second: ${sent} events, ${lost} lost, ${twice} handled twice, ${mixed} by mixed code, ${versions} versions seen`,
  )
  const mb = (bytes) => (bytes / 2 ** 20).toFixed(1)
  console.log(
    `main thread after collection: ${mb(before.heapUsed)} MB before, ${mb(after.heapUsed)} MB after (${grownMb.toFixed(1)} MB more); process ${mb(before.rss)} → ${mb(after.rss)} MB`,
  )
  const ended = readFileSync(lives, 'utf8').trim().split('\n')
  // The current code has not ended. Code that a newer save replaced while it loaded ended with its thread.
  const served = [...new Set(noted().map((note) => note.version))].sort((a, b) => a - b).slice(0, -1)
  const left = served.filter((one) => !ended.includes(`ended ${one}`)).length
  console.log(
    `${served.length} versions served and were replaced, each with a timer of its own; ${left} did not end theirs`,
  )
  const grown = ['handles', 'threads', 'files'].filter((what) => after[what] > before[what])
  for (const what of ['handles', 'threads', 'files'])
    console.log(`open ${what}: ${before[what]} before, ${after[what]} after`)
  for (const kind of new Set(grown.includes('handles') ? after.kinds : []))
    console.log(`  ${kind}: ${countOf(before, kind)} before, ${countOf(after, kind)} after`)
  return at(0.95) < 100 && lost + twice + mixed + left === 0 && grownMb < 5 && grown.length === 0
}

function noted() {
  const lines = readFileSync(notes, 'utf8').split('\n')
  // The last element is empty or an incomplete line.
  return lines.slice(0, -1).map((line) => {
    const [number, version, again, atMs] = line.split(' ').map(Number)
    return { number, version, again, atMs }
  })
}

/**
 * Waits until old threads have ended and the next one is ready. Returns the one of three readings with the fewest handles, since any of
 * them may include a request in flight.
 */
async function atRest() {
  await sleep(1500)
  const readings = []
  for (let i = 0; i < 3; i++) readings.push(await heap())
  return readings.reduce((least, one) => (one.handles < least.handles ? one : least))
}

async function heap() {
  const reports = () => readFileSync(heapFile, 'utf8').split('\n').slice(0, -1)
  const known = reports().length
  dev.kill('SIGUSR2')
  await until(() => reports().length > known, 5000, 'the report of the heap')
  const { kinds, ...sizes } = JSON.parse(reports().at(-1))
  return { ...sizes, kinds, handles: kinds.length }
}

function countOf({ kinds }, kind) {
  return kinds.filter((one) => one === kind).length
}

async function until(holds, ms, what) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(20)) if (holds()) return
  throw new Error(`timed out after ${ms / 1000} s: ${what}`)
}

/** Signs ann in and returns a function that posts to #general. */
async function person(url) {
  let token = ''
  const call = async (method, path, body) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Person ${token}` }) }
    const response = await fetch(`${url}/people/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  token = (await call('POST', '/sessions', { username: 'ann' })).token
  const { servers } = await call('GET', '/me')
  const { channels } = await call('GET', `/servers/${servers[0].id}`)
  const { id } = channels.find(({ name }) => name === 'general')
  return (content) => call('POST', `/channels/${id}/messages`, { content })
}
