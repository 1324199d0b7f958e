// Kills `framework start` repeatedly while people write in 20 channels, then counts lost, repeated and reordered messages.
//   KILLS=100 EVENTS=3000 SIGNAL=SIGKILL SEED=1 node packages/workspace/soak/kill.mjs
// SIGNAL=SIGTERM stops it gracefully instead; then no message may repeat either. Needs the build. Exit code 0: all guarantees held.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { judge, newFolder, startBot, startWorkshop, token, writeBot, writer } from './rig.mjs'
import { number, SEED, seeded } from './settings.mjs'

const KILLS = number('KILLS', 100)
const EVENTS = number('EVENTS', 3000)
const SIGNAL = process.env.SIGNAL ?? 'SIGKILL'
const CHANNELS = 20
const random = seeded(SEED)

const folder = newFolder('kill')
const notes = join(folder, 'notes.txt')
writeFileSync(notes, '')
const root = writeBot(folder, { 'events/message.js': handler() })
const channels = Array.from({ length: CHANNELS }, (_, i) => `c${i}`)
const service = await startWorkshop(channels)
const write = writer(service)
const written = new Map(channels.map((name) => [name, 0]))
const counts = { kills: 0, killedBeforeReady: 0, badExits: 0, setAside: 0 }

let bot = start()
// Without a saved position, a bot handles only new events, so it must be ready before the first message.
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
  // Before the program runs, a signal ends Node itself, and no handler has started.
  if (SIGNAL === 'SIGTERM' && (code === SIGNAL ? bot.isReady : code !== 0)) counts.badExits++
  bot = start()
}
await writing
const limitMs = Date.now() + 60_000
while (judge(readNotes(), written).lost > 0 && Date.now() < limitMs) await sleep(100)
bot.child.kill('SIGTERM')
await bot.ended
await service.close()

const { lost, repeated, unmarked, disorder } = judge(readNotes(), written)
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
if (good) rmSync(folder, { recursive: true, force: true })
else console.error(`a guarantee was broken; the notes are in ${folder}`)
process.exit(good ? 0 : 1)

/** Records each start and end. */
function handler() {
  return `import { appendFileSync } from 'node:fs'
const note = (what, ctx) => {
  const [channel, count] = ctx.event.content.split(' ')
  appendFileSync(${JSON.stringify(notes)}, channel + ' ' + what + ' ' + count + (ctx.redelivered ? ' again' : '') + '\\n')
}
export default async (ctx) => {
  note('start', ctx)
  await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 45))
  note('end', ctx)
}
`
}

function start() {
  return startBot({
    root,
    env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' },
    onLine: (line) => {
      if (line.includes('event_set_aside')) counts.setAside++
    },
  })
}

/** Writes to random channels during the kills; each channel has its own count. */
async function writeMessages() {
  for (let sent = 0; sent < EVENTS; sent++) {
    // Stay close to the number of kills, so that each of them hits running events.
    while (sent > ((counts.kills + 1) / KILLS) * EVENTS) await sleep(5)
    const name = channels[Math.floor(random() * CHANNELS)]
    await write(name, `${name} ${written.get(name) + 1}`)
    written.set(name, written.get(name) + 1)
  }
}

/** The notes of each channel, by its name. */
function readNotes() {
  const all = new Map(channels.map((name) => [name, []]))
  for (const line of readFileSync(notes, 'utf8').split('\n').filter(Boolean)) {
    const [channel, ...note] = line.split(' ')
    all.get(channel).push(note.join(' '))
  }
  return all
}
