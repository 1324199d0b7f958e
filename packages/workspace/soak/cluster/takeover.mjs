// Kills the leader repeatedly while people click on buttons and write. Measures how long no event is handled, and whether clicks fail.
//   TIMES=20 MACHINES=3 SEED=1 node packages/workspace/soak/cluster/takeover.mjs
// Needs redis-server and the build. Exit code 0: each time events were handled again within 5 s, and every click was answered or acknowledged within 3 s.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisCluster } from '@botwright/cluster'
import { limits } from '@botwright/protocol'
import { startService } from '@botwright/service'
import { newFolder, startBot, token, writeBot } from '../rig.mjs'
import { number, SEED, seeded } from '../settings.mjs'
import { botIdOf, startRedis } from './rig.mjs'

const TIMES = number('TIMES', 20)
const MACHINES = number('MACHINES', 3)
const random = seeded(SEED)
/** A person clicks at most 5 times in 10 s (§8). */
const PEOPLE = 12
const MAX_TAKEOVER_MS = 5000

const people = Array.from({ length: PEOPLE }, (_, i) => `p${i}`)
const folder = newFolder('takeover')
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
        channels: [{ name: 'board' }, { name: 'talk' }],
      },
    ],
  },
})
const botId = await botIdOf(service, token)
const { channels } = service.world.servers.Workshop
const root = writeBot(folder, {
  // A slow handler: a living instance acknowledges its click.
  'buttons/late.js': `export default async (ctx) => { await new Promise((resolve) => setTimeout(resolve, 4000)); await ctx.ephemeral('late') }`,
  'events/message.js': `
const late = { type: 'button', label: 'Late', style: 'primary', custom_id: 'late' }
export default (ctx) => ctx.event.content === 'board'
  ? ctx.reply({ content: 'here', components: [{ type: 'row', components: [late] }] })
  : ctx.react('👍')`,
})
const call = async (person, method, path, body) => {
  const answer = await fetch(`${service.url}/people/v1${path}`, {
    method,
    headers: {
      authorization: `Person ${service.world.people[person].token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const read = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(read)}`)
  return read
}

let stopping = false
const open = (place) => {
  const machine = startBot({
    root,
    args: ['--cluster', redis.url, '--state', join(folder, `state-${place}`)],
    env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' },
    onLine: (line) => process.env.SHOW && console.error(place, line),
  })
  void machine.ended.then(
    (code) => machine.killed || stopping || console.error(`instance ${place} ended by itself: ${code}`),
  )
  return machine
}
const machines = Array.from({ length: MACHINES }, (_, place) => open(place))
await Promise.all(machines.map(({ ready }) => ready))

await call('p0', 'POST', `/channels/${channels.board}/messages`, { content: 'board' })
const board = await until(async () => {
  const { messages } = await call('p0', 'GET', `/channels/${channels.board}/messages?limit=10`)
  return messages.find(({ components }) => components?.length > 0)
}, 20_000)
const [{ custom_id }] = board.components.flatMap((one) => one.components)

const gaps = []
const clicks = []
for (let time = 0; time < TIMES; time++) {
  const { leader } = await redisCluster(redis.url).status({ baseUrl: service.base_url, botId })
  const place = machines.findIndex(({ child }) => leader?.includes(`-${child.pid}-`))
  if (place < 0) throw new Error(`the leader is not one of our instances: ${leader}`)
  // Some clicks arrive just before, some right after.
  const clicking = Promise.all(
    people.slice((time % 3) * 4, (time % 3) * 4 + 4).map((person) => click(person, random() * 2500)),
  )
  await sleep(random() * 400)
  machines[place].killed = true
  machines[place].child.kill('SIGKILL')
  const killedAtMs = Date.now()
  const { id } = await call('p0', 'POST', `/channels/${channels.talk}/messages`, { content: `after death ${time}` })
  await until(async () => {
    const { messages } = await call('p0', 'GET', `/channels/${channels.talk}/messages?limit=20`)
    return messages.find((message) => message.id === id)?.reactions?.length > 0
  }, 30_000)
  gaps.push(Date.now() - killedAtMs)
  await machines[place].ended
  machines[place] = open(place)
  await machines[place].ready
  await clicking
  await sleep(3000)
}
await sleep(6000)
const failed = []
for (const { person, id, atMs } of clicks) {
  const { answers } = await call(person, 'GET', `/clicks/${id}`)
  const waitMs = answers[0] ? Date.parse(answers[0].at) - atMs : Infinity
  if (waitMs >= limits.interaction.answer_seconds * 1000) failed.push(waitMs)
}
stopping = true
for (const { child } of machines) child.kill('SIGTERM')
await Promise.all(machines.map(({ ended }) => ended))
await redis.stop()
await service.close()
rmSync(folder, { recursive: true, force: true })
gaps.sort((a, b) => a - b)
const result = {
  seed: SEED,
  deaths: TIMES,
  p50: gaps[Math.floor(gaps.length / 2)],
  max: gaps.at(-1),
  clicks: clicks.length,
  failed: failed.length,
}
console.log(JSON.stringify(result))
if (failed.length > 0) console.error(`clicks answered after ${failed.join(', ')} ms`)
process.exit(failed.length === 0 && gaps.at(-1) <= MAX_TAKEOVER_MS ? 0 : 1)

async function click(person, afterMs) {
  await sleep(afterMs)
  const atMs = Date.now()
  const { interaction_id: id } = await call(person, 'POST', `/channels/${channels.board}/messages/${board.id}/clicks`, {
    custom_id,
  })
  clicks.push({ person, id, atMs })
}

async function until(find, limitMs) {
  const endMs = Date.now() + limitMs
  for (;;) {
    const found = await find()
    if (found) return found
    if (Date.now() > endMs) throw new Error(`no event arrived within ${limitMs / 1000} s`)
    await sleep(20)
  }
}
