// Publishes COUNT forged and mutated messages, from another database, on all channels of a running cluster while people write.
//   COUNT=20000 MACHINES=2 SEED=1 node packages/workspace/soak/cluster/forged.mjs
// Needs redis-server and the build. Exit code 0: no process ended, every event ran once, and no send took longer than the window of the message limit (§8).
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@botwright/protocol'
import { startService } from '@botwright/service'
import { newFolder, startBot, token, writeBot } from '../rig.mjs'
import { number, SEED, seeded } from '../settings.mjs'
import { startRedis } from './rig.mjs'

const COUNT = number('COUNT', 20_000)
const MACHINES = number('MACHINES', 2)
/** Fewer sends than the limit allows, so none of them must wait. */
const SEND_EVERY_MS = 3000
const WRITE_EVERY_MS = 100
const PEOPLE = 20

const { Redis } = createRequire(new URL('../../../cluster/package.json', import.meta.url))('ioredis')
const { floodChannels } = await import(
  new URL('../../dist/lib/attacks/forged-messages.test.fixture.js', import.meta.url).href
)

const people = Array.from({ length: PEOPLE }, (_, i) => `p${i}`)
const folder = newFolder('forged')
const redis = await startRedis(folder)
const service = await startService({
  port: 0,
  world: {
    people: people.map((username) => ({ username })),
    bots: [{ username: 'soaked', owner: 'p0', token }],
    servers: [
      {
        name: 'Workshop',
        owner: 'p0',
        members: people.slice(1),
        bots: ['soaked'],
        channels: people.map((name) => ({ name })),
      },
    ],
  },
})
const { channels } = service.world.servers.Workshop
const notes = join(folder, 'notes.txt')
const root = writeBot(folder, {
  'events/message.js': `
import { appendFileSync } from 'node:fs'
export default async (ctx) => {
  const { content } = ctx.event
  const startMs = Date.now()
  if (content.startsWith('send')) await ctx.reply('sent')
  appendFileSync(${JSON.stringify(notes)}, content + ' ' + (Date.now() - startMs) + '\\n')
}`,
})
let stopping = false
let ended = 0
const logged = []
const machines = Array.from({ length: MACHINES }, (_, place) => {
  const machine = startBot({
    root,
    args: ['--cluster', redis.url, '--state', join(folder, `state-${place}`)],
    env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' },
    onLine: (line) => line.includes('ignored a malformed') && logged.push(line),
  })
  void machine.ended.then((code) => {
    if (stopping) return
    ended++
    console.error(`instance ${place} ended with ${code}`)
  })
  return machine
})
await Promise.all(machines.map(({ ready }) => ready))

console.log(`seed ${SEED}`)
const attacker = new Redis(`${redis.url}/1`)
let flooding = true
const flood = floodChannels(attacker, COUNT, seeded(SEED)).finally(() => (flooding = false))
const written = []
let sentAtMs = -Infinity
while (flooding || written.length < 50) {
  const person = people[written.length % PEOPLE]
  const sends = performance.now() - sentAtMs > SEND_EVERY_MS
  const content = `${sends ? 'send' : 'note'}-${written.length}`
  const answer = await fetch(`${service.url}/people/v1/channels/${channels[person]}/messages`, {
    method: 'POST',
    headers: { authorization: `Person ${service.world.people[person].token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  })
  if (answer.ok) {
    written.push(content)
    if (sends) sentAtMs = performance.now()
  } else if (answer.status !== 429) throw new Error(`${answer.status} ${await answer.text()}`)
  await sleep(WRITE_EVERY_MS)
}
const received = await flood
const ran = () =>
  (existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').filter(Boolean) : []).map((line) => line.split(' '))
const windowMs = limits.messages.seconds * 1000
const untilMs = performance.now() + windowMs
while (ran().length < written.length && performance.now() < untilMs) await sleep(100)
const counts = new Map()
for (const [content] of ran()) counts.set(content, (counts.get(content) ?? 0) + 1)
const result = {
  forged: COUNT,
  received,
  events: written.length,
  lost: written.filter((content) => !counts.has(content)).length,
  repeated: [...counts.values()].filter((times) => times > 1).length,
  longestSendMs: Math.max(...ran().flatMap(([content, ms]) => (content.startsWith('send') ? [Number(ms)] : []))),
  logLines: logged.length,
  ended,
}
console.log(JSON.stringify(result))
stopping = true
attacker.disconnect()
for (const { child } of machines) child.kill('SIGTERM')
await Promise.all(machines.map((machine) => machine.ended))
await service.close()
await redis.kill()
rmSync(folder, { recursive: true, force: true })
if (result.lost + result.repeated + result.ended > 0 || !(result.longestSendMs < windowMs)) process.exitCode = 1
