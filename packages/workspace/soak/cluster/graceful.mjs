// Restarts and resizes a cluster under load, as a deployment and an autoscaler do. Counts lost, repeated and reordered events.
//   ROLLS=10 SCALES=10 INSTANCES=3 CHANNELS=200 PER_SECOND=100 SEED=1 node packages/workspace/soak/cluster/graceful.mjs
// A roll ends each instance with SIGTERM, one after another, and starts it again. A scale goes from 1 instance to 4 and back.
// Needs redis-server and the build. Exit code 0: no event was lost, out of order or handled twice.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { judge, newFolder, startBot, startWorkshop, token, writeBot, writer } from '../rig.mjs'
import { number, SEED, seeded } from '../settings.mjs'
import { notesOf, notingHandler, startRedis } from './rig.mjs'

const ROLLS = number('ROLLS', 10)
const SCALES = number('SCALES', 10)
const INSTANCES = number('INSTANCES', 3)
const CHANNELS = number('CHANNELS', 200)
const PER_SECOND = number('PER_SECOND', 100)
const LARGE = 4
const random = seeded(SEED)

const folder = newFolder('graceful')
const root = writeBot(folder, { 'events/message.js': notingHandler })
const channels = Array.from({ length: CHANNELS }, (_, i) => `c${i}`)
const service = await startWorkshop(channels)
const redis = await startRedis(folder)
const written = new Map(channels.map((name) => [name, 0]))
const instances = []
let opened = 0
const codes = []

while (instances.length < INSTANCES) await grow()
let writing = true
const writes = writeMessages()
const startedAt = Date.now()
for (let roll = 0; roll < ROLLS; roll++)
  for (let place = 0; place < INSTANCES; place++) {
    await shrink()
    await grow()
  }
while (instances.length > 1) await shrink()
for (let scale = 0; scale < SCALES; scale++) {
  while (instances.length < LARGE) await grow()
  await sleep(1000)
  while (instances.length > 1) await shrink()
}
writing = false
await writes
const limitMs = Date.now() + 60_000
while (judge(await notesOf(redis, service), written).lost > 0 && Date.now() < limitMs) await sleep(500)
await shrink()
const { lost, repeated, disorder } = judge(await notesOf(redis, service), written)
await redis.stop()
await service.close()
const events = [...written.values()].reduce((sum, count) => sum + count, 0)
const ends = codes.length
const odd = codes.filter((code) => code !== 0)
const seconds = Math.round((Date.now() - startedAt) / 1000)
console.log(JSON.stringify({ seed: SEED, seconds, events, ends, lost, repeated, disorder: disorder.length, odd }))
for (const line of disorder.slice(0, 10)) console.error(line)
const good = lost === 0 && repeated === 0 && disorder.length === 0 && odd.length === 0
if (good) rmSync(folder, { recursive: true, force: true })
else console.error(`a guarantee was broken; the logs are in ${folder}`)
process.exit(good ? 0 : 1)

/** Starts another instance and waits until it is ready. */
async function grow() {
  const name = opened++
  const instance = startBot({
    root,
    args: ['--cluster', redis.url, '--state', join(folder, `state-${name}`)],
    env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' },
    onLine: (line) => writeFileSync(join(folder, `instance-${name}.log`), `${line}\n`, { flag: 'a' }),
  })
  instances.push(instance)
  await instance.ready
}

/** Ends the oldest instance, as a deployment does, and waits until it is gone. */
async function shrink() {
  const instance = instances.shift()
  instance.child.kill('SIGTERM')
  codes.push(await instance.ended)
}

/** Writes to random channels until the end; each channel has its own count. */
async function writeMessages() {
  const write = writer(service)
  const beganMs = Date.now()
  for (let sent = 0; writing; sent++) {
    const name = channels[Math.floor(random() * CHANNELS)]
    await write(name, `${name} ${written.get(name) + 1}`)
    written.set(name, written.get(name) + 1)
    await sleep(Math.max(0, beganMs + (sent * 1000) / PER_SECOND - Date.now()))
  }
}
