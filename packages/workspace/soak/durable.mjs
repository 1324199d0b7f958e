// Kills a bot with durable handlers at random moments, and compares every conversation with an undisturbed one.
//   KILLS=100 CONVERSATIONS=40 SEED=1 node packages/workspace/soak/durable.mjs
//   INSTANCES=3 node packages/workspace/soak/durable.mjs   a cluster: mostly the instance of a run is killed, and another one continues it
// Needs the build, and redis-server for a cluster. Runs the real service and `framework start`. A conversation sends two messages, of which the interface allows 30 a minute (§8).
// Exit code 0: every conversation has each message, reaction, step and stored value exactly once.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '@botwright/dev'
import { redisCluster } from '@botwright/cluster'
import { botIdOf, startRedis } from './cluster/rig.mjs'
import { homeOf, newFolder, startBot, startWorkshop, token } from './rig.mjs'
import { number, SEED, seeded } from './settings.mjs'

const KILLS = number('KILLS', 100)
const CONVERSATIONS = number('CONVERSATIONS', 40)
const INSTANCES = number('INSTANCES', 1)
const random = seeded(SEED)
/** Between two kills. In a cluster, another instance takes a run over after the lease of 3 s. */
const KILL_MS = INSTANCES === 1 ? [200, 1500] : [1000, 4000]
/** Between two conversations, so that the message budget is not used up: an event that waits for it at each of ten kills is set aside. */
const PAUSE_MS = 6000
/** Conversations at the same time. */
const MAX_OPEN = 10
/** Messages that were sent shortly before wait for the budget. */
const LONGEST_WAIT_MS = 120_000

const folder = newFolder('durable')
const notes = join(folder, 'notes')
writeFileSync(notes, '')
const root = join(folder, 'bot')
mkdirSync(join(root, 'commands'), { recursive: true })
homeOf(root)
writeFileSync(
  join(root, 'commands/quiz.ts'),
  `import { appendFileSync } from 'node:fs'
import { command } from '@botwright/framework'
export default command({
  description: 'Asks',
  durable: true,
  run: async (ctx) => {
    const answer = await ctx.ask('Which number?', { timeout: '10m' })
    await Promise.all([ctx.react('👀'), ctx.sleep(100 + ctx.random() * 400)])
    const step = await ctx.step('note', () => { appendFileSync(${JSON.stringify(notes)}, ctx.channel_id + '\\n'); return answer + '!' })
    const count = await ctx.state.channel.update('count', (n = 0) => n + 1)
    await ctx.react('👍')
    await ctx.sleep(200)
    return step + ' ' + count
  },
})`,
)
await build(root, join(root, 'dist'))
const channels = Array.from({ length: CONVERSATIONS }, (_, i) => `c${i}`)
const service = await startWorkshop(channels)
const ids = service.world.servers.Workshop.channels
const call = async (method, path, body) => {
  const answer = await fetch(`${service.url}/people/v1${path}`, {
    method,
    headers: {
      authorization: `Person ${service.world.people.ann.token}`,
      // On a busy machine, a kept connection may be used while its server closes it.
      connection: 'close',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  // This process, which also runs the service, was busy for seconds: nothing was done.
  if (answer.status === 408) return call(method, path, body)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
const lines = []
const redis = INSTANCES === 1 ? undefined : await startRedis(folder)
const botId = await botIdOf(service, token)
const open = (place) =>
  startBot({
    root,
    args: ['--state', join(folder, `state-${place}`), ...(redis ? ['--cluster', redis.url] : [])],
    env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' },
    onLine: (line) => lines.push(`${place} ${line}`),
  })
const bots = Array.from({ length: INSTANCES }, (_, place) => open(place))
await Promise.all(bots.map(({ ready }) => ready))
let kills = 0
let ended = 0
/** Kills of the instance of a run that was not over. */
let killsOfOwners = 0
let isOver = false
const killing = killAtRandom()
const talks = []
for (const name of channels) {
  talks.push(converse(name).finally(() => ended++))
  // A backlog would wait for the message budget, and never end.
  while (talks.length - ended >= MAX_OPEN) await sleep(200)
  await sleep(random() * 2 * PAUSE_MS)
}
const broken = (await Promise.all(talks)).filter((fault) => fault !== undefined)
isOver = true
await killing
for (const { child } of bots) child.kill('SIGTERM')
await Promise.all(bots.map(({ ended }) => ended))
await redis?.stop()
await service.close()
const steps = readFileSync(notes, 'utf8').split('\n').filter(Boolean)
console.log(
  JSON.stringify({
    seed: SEED,
    conversations: CONVERSATIONS,
    instances: INSTANCES,
    kills,
    ...(redis && { killsOfOwners }),
    broken: broken.length,
    steps: steps.length,
    repeatedSteps: steps.length - new Set(steps).size,
    setAside: lines.filter((line) => line.includes('"code":"event_set_aside"')).length,
  }),
)
for (const fault of broken.slice(0, 10)) console.error(fault)
if (broken.length === 0) rmSync(folder, { recursive: true, force: true })
else {
  writeFileSync(join(folder, 'log'), lines.join('\n'))
  console.error(`the log is in ${folder}`)
}
process.exit(broken.length === 0 ? 0 : 1)

/** A killed step repeats its own work, as documented; all else happens once. */
async function killAtRandom() {
  while (kills < KILLS && !isOver) {
    await sleep(KILL_MS[0] + random() * KILL_MS[1])
    const owner = redis && random() < 0.8 ? await placeOfOwner() : undefined
    const place = owner ?? Math.floor(random() * INSTANCES)
    bots[place].child.kill('SIGKILL')
    await bots[place].ended
    kills++
    if (kills % 100 === 0) console.error(`${kills} kills, ${ended} conversations have ended`)
    if (owner !== undefined) killsOfOwners++
    bots[place] = open(place)
    // Sometimes the next kill hits a bot that starts.
    if (random() < 0.8) await Promise.race([bots[place].ready, sleep(10_000)])
  }
  await Promise.race([Promise.all(bots.map(({ ready }) => ready)), sleep(10_000)])
}

/** The instance of a run that is not over, if there is one. */
async function placeOfOwner() {
  const bot = { baseUrl: service.base_url, botId }
  const heads = await redisCluster(redis.url).withStore(bot, (store) => store.list('run:head:'))
  const owners = heads.flatMap(({ value: { status, machine = '' } }) => {
    const place = bots.findIndex(({ child }) => machine.includes(`-${child.pid}-`))
    return status === 'waiting' && place >= 0 ? place : []
  })
  return owners[Math.floor(random() * owners.length)]
}

/** One conversation; resolves with its fault, if it differs from an undisturbed one. */
async function converse(name) {
  const path = `/channels/${ids[name]}/messages`
  await call('POST', path, { content: '/quiz' })
  const read = async () => (await call('GET', `${path}?limit=50`)).messages
  const asked = await until(async () => (await read()).some(({ content }) => content === 'Which number?'))
  if (!asked) return `${name}: the question did not arrive`
  await sleep(random() * 2000)
  await call('POST', path, { content: name })
  const ended = await until(async () => (await read()).some(({ content }) => content.startsWith(`${name}!`)))
  if (!ended) return `${name}: the answer did not arrive`
  // A second one would follow soon.
  await sleep(3000)
  const messages = await read()
  const told = messages.map(({ content, reactions }) =>
    [content, ...(reactions ?? []).map(({ emoji }) => emoji)].join(' '),
  )
  const wanted = ['/quiz 👀 👍', 'Which number?', name, `${name}! 1`]
  return JSON.stringify(told) === JSON.stringify(wanted) ? undefined : `${name}: ${JSON.stringify(told)}`
}

async function until(find) {
  const endMs = Date.now() + LONGEST_WAIT_MS
  while (Date.now() < endMs) {
    if (await find()) return true
    await sleep(200)
  }
  return false
}
