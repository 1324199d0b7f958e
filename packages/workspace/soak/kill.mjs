// Kills `framework start` again and again while people write in 20 channels, then counts what was lost, repeated or out of order.
//   KILLS=100 EVENTS=3000 SIGNAL=SIGKILL SEED=1 node packages/workspace/soak/kill.mjs
// SIGNAL=SIGTERM stops it gracefully instead: then nothing may repeat either. Needs the build. Exit code 0: every promise was kept.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startService } from '@botwright/service'

const KILLS = Number(process.env.KILLS ?? 100)
const EVENTS = Number(process.env.EVENTS ?? 3000)
const SIGNAL = process.env.SIGNAL ?? 'SIGKILL'
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const CHANNELS = 20
const token = 'token-of-the-soak-bot'
const program = fileURLToPath(new URL('../../framework/bin/framework.mjs', import.meta.url))

/** Mulberry32: the same seed gives the same kills. */
let state = SEED
function random() {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const root = mkdtempSync(join(tmpdir(), 'botwright-soak-'))
const notes = join(root, 'notes.txt')
writeBot()
const channels = Array.from({ length: CHANNELS }, (_, i) => ({ name: `c${i}` }))
const service = await startService({
  port: 0,
  data: ':memory:',
  world: {
    people: [{ username: 'ann' }],
    bots: [{ username: 'soaked', owner: 'ann', token }],
    servers: [{ name: 'Workshop', owner: 'ann', bots: ['soaked'], channels }],
  },
})
const workshop = service.world.servers.Workshop
const written = new Map(channels.map(({ name }) => [name, 0]))
const counts = { kills: 0, killedBeforeReady: 0, badExits: 0, setAside: 0 }

let bot = start()
// Without a saved position a bot starts with what comes from now on: so it has to be there before the first message.
await bot.ready
const writing = writeMessages()
while (counts.kills < KILLS) {
  const early = random() < 0.2
  if (early) await sleep(50 + random() * 300)
  else {
    await Promise.race([bot.ready, bot.ended])
    await sleep(20 + random() * 300)
  }
  if (!bot.isReady) counts.killedBeforeReady++
  counts.kills++
  bot.child.kill(SIGNAL)
  const code = await bot.ended
  // Before the program runs at all, a signal ends Node itself (code null); nothing had begun then.
  if (SIGNAL === 'SIGTERM' && (code === null ? bot.isReady : code !== 0)) counts.badExits++
  bot = start()
}
await writing
const limitMs = Date.now() + 60_000
while (readNotes().ended.size < EVENTS && Date.now() < limitMs) await sleep(100)
bot.child.kill('SIGTERM')
await bot.ended
await service.close()

const { lost, repeated, unmarked, disorder } = judge()
const result = {
  seed: SEED,
  signal: SIGNAL,
  events: EVENTS,
  ...counts,
  lost,
  repeated,
  unmarked,
  disorder: disorder.length,
}
console.log(JSON.stringify(result))
for (const line of disorder.slice(0, 5)) console.error(line)
const kept = lost === 0 && unmarked === 0 && disorder.length === 0 && counts.setAside === 0 && counts.badExits === 0
const good = kept && (SIGNAL !== 'SIGTERM' || repeated === 0)
if (good) rmSync(root, { recursive: true, force: true })
else console.error(`a promise was broken; the notes are in ${root}`)
process.exit(good ? 0 : 1)

/** A built bot of one file that writes down each start and each end. */
function writeBot() {
  mkdirSync(join(root, 'dist/events'), { recursive: true })
  const entry = { kind: 'event', name: 'message', file: 'events/message.ts' }
  const modules = { 'events/message.ts': 'events/message.js' }
  const manifest = { version: 1, entries: [entry], definitions: [entry], modules, config: null }
  writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify(manifest))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(notes, '')
  writeFileSync(
    join(root, 'dist/events/message.js'),
    `import { appendFileSync } from 'node:fs'
const note = (what, ctx) => appendFileSync(${JSON.stringify(notes)}, what + ' ' + ctx.event.content + (ctx.redelivered ? ' again' : '') + '\\n')
export default async (ctx) => {
  note('start', ctx)
  await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 45))
  note('end', ctx)
}
`,
  )
}

function start() {
  const env = { ...process.env, BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [program, 'start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let becomeReady
  const running = { child, isReady: false, ready: new Promise((resolve) => (becomeReady = resolve)) }
  let rest = ''
  child.stdout.on('data', (data) => {
    const lines = (rest + data).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (line.includes('event_set_aside')) counts.setAside++
      if (!line.includes(' is ready')) continue
      running.isReady = true
      becomeReady()
    }
  })
  running.ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  return running
}

/** All through the kills, at random into the channels; each channel counts for itself. */
async function writeMessages() {
  const authorization = `Person ${service.world.people.ann.token}`
  for (let sent = 0; sent < EVENTS; sent++) {
    // Not far ahead of the kills, so that each of them meets events that run.
    while (sent > ((counts.kills + 1) / KILLS) * EVENTS) await sleep(5)
    const { name } = channels[Math.floor(random() * CHANNELS)]
    const content = `${name} ${written.get(name) + 1}`
    const answer = await fetch(`${service.url}/people/v1/channels/${workshop.channels[name]}/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ content }),
    })
    if (!answer.ok) throw new Error(`a message was refused: ${answer.status} ${await answer.text()}`)
    written.set(name, written.get(name) + 1)
  }
}

function readNotes() {
  const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean)
  const steps = lines.map((line) => {
    const [what, channel, number, again] = line.split(' ')
    return { what, channel, number: Number(number), again: again === 'again' }
  })
  const ended = new Set(steps.filter(({ what }) => what === 'end').map((step) => `${step.channel} ${step.number}`))
  return { steps, ended }
}

/** In a channel, a message may start after the end of the one before it, or once more, marked, while none after it has started. */
function judge() {
  const { steps, ended } = readNotes()
  const last = new Map(channels.map(({ name }) => [name, { number: 0, ended: true }]))
  const disorder = []
  let repeated = 0
  let unmarked = 0
  for (const { what, channel, number, again } of steps) {
    const before = last.get(channel)
    if (what === 'end') {
      if (before.number === number) before.ended = true
    } else if (number === before.number) {
      repeated++
      if (!again) unmarked++
    } else {
      if (number !== before.number + 1 || !before.ended)
        disorder.push(`${channel}: ${number} started after ${before.number}`)
      last.set(channel, { number, ended: false })
    }
  }
  let lost = 0
  for (const [name, count] of written) for (let n = 1; n <= count; n++) if (!ended.has(`${name} ${n}`)) lost++
  return { lost, repeated, unmarked, disorder }
}
