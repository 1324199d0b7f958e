// Many people click simultaneously on buttons whose handlers answer at once, late or never, throw, or block their thread: no click may fail.
//   CLICKS=1000 RATE=100 SLOW_MS=5000 BLOCK_MS=10000 INSTANCES=0 KILLS=0 SEED=1 node packages/workspace/soak/clicks.mjs
// RATE is in clicks a second. With INSTANCES, the bot is a cluster, and KILLS of its instances end with SIGKILL meanwhile; each is started again.
// Needs the build, and redis-server for INSTANCES. Runs the real service and `framework start` on a built bot, each in its own process.
// Exit code 0: every click was answered or acknowledged within 3 s, every answer of a handler arrived, and no click was acknowledged twice
// unless an instance died in between. An event whose instance died three times while running it is set aside, as documented.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from '@botwright/dev'
import { limits } from '@botwright/protocol'
import { startRedis } from './cluster/rig.mjs'
import { homeOf, newFolder } from './rig.mjs'
import { number, SEED, seeded } from './settings.mjs'

const CLICKS = number('CLICKS', 1000)
const RATE = number('RATE', 100)
const SLOW_MS = number('SLOW_MS', 5000)
const BLOCK_MS = number('BLOCK_MS', 10_000)
const INSTANCES = number('INSTANCES', 0)
const KILLS = number('KILLS', 0)
const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const token = 'token-of-the-click-soak-bot'
/** Each board is one message, so its clicks have their own queue. Few enough for the budget of 30 messages a minute. */
const BOARDS = 20
/** A person can click at most 5 times in 10 s (§8). With this number of people, each clicks 4 times. */
const PEOPLE = Math.ceil((RATE * 10) / 4)
/** The answer to a click of each kind, with or without an automatic ack, and the number of clicks of the kind out of ten. */
const kinds = {
  now: { answer: 'reply', share: 3 },
  slow: { answer: 'reply', share: 2 },
  update: { answer: 'update', share: 2 },
  ephemeral: { answer: 'ephemeral', share: 1 },
  throw: { answer: 'ephemeral', share: 1 },
  quiet: { answer: 'ack', share: 1 },
}
const deck = Object.entries(kinds).flatMap(([kind, { share }]) => Array.from({ length: share }, () => kind))

const random = seeded(SEED)

const root = newFolder('clicks')
const children = []
/** The processes of the bot, and when one of them was killed. */
const instances = []
const killedAtMs = []
/** The events that were set aside, because an instance died three times while running them. */
const setAside = new Set()
let redis
const people = Array.from({ length: PEOPLE }, (_, i) => `p${i}`)
const channels = Array.from({ length: BOARDS + 1 }, (_, i) => `c${i}`)
let good = false
try {
  const service = await startServiceProcess()
  await writeBot()
  if (INSTANCES > 0) redis = await startRedis(root)
  while (instances.length < Math.max(INSTANCES, 1)) await startBotProcess(service.base_url)
  const tokens = await signIn(service.url)
  const call = callsOf(service.url, tokens)
  const boards = await postBoards(call)
  const before = await feed(service.base_url, 0)
  const killing = killInstances(service.base_url)
  const { clicks, refused } = await clickAll(call, boards)
  await killing
  await collect(call, clicks)
  good = judge(clicks, refused, await interactionsOf(service.base_url, before.last))
} finally {
  for (const child of children.reverse()) await end(child)
  await redis?.stop()
  rmSync(root, { recursive: true, force: true })
}
process.exit(good ? 0 : 1)

/** A bot with one command, which posts a board, and one file for each kind of button. */
async function writeBot() {
  const save = (file, text) => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const names = [...Object.keys(kinds), 'block']
  const imports = names.map((name) => `import ${name}Button from '../buttons/${name}.ts'`).join('\n')
  const face = (name) => `${name}Button.button({ label: '${name}' })`
  save(
    'commands/board.ts',
    `import { command, row } from '@botwright/framework'\n${imports}
export default command({ description: 'Posts a board', run: (ctx) => ctx.reply({ content: 'board', components: [
  row(${names.slice(0, 4).map(face).join(', ')}), row(${names.slice(4).map(face).join(', ')})] }) })`,
  )
  const runs = {
    now: "ctx.reply('now ' + ctx.event.id)",
    slow: `new Promise((resolve) => setTimeout(resolve, Math.random() * ${SLOW_MS})).then(() => ctx.reply('slow ' + ctx.event.id))`,
    update: "ctx.update({ content: 'board ' + ctx.event.id })",
    ephemeral: "ctx.ephemeral('only you ' + ctx.event.id)",
    throw: "{ throw new Error('thrown on purpose') }",
    quiet: '{}',
    block: `{ for (const end = Date.now() + ${BLOCK_MS}; Date.now() < end;); return ctx.reply('blocked') }`,
  }
  for (const [name, run] of Object.entries(runs))
    save(
      `buttons/${name}.ts`,
      `import { button } from '@botwright/framework'\nexport default button({ run: (ctx) => ${run} })`,
    )
  homeOf(root)
  await build(root, join(root, 'dist'))
}

async function startBotProcess(baseUrl) {
  const env = { ...process.env, BOT_TOKEN: token, BOT_BASE_URL: baseUrl, LOG_LEVEL: 'info' }
  const name = `state-${children.length}`
  const cluster = redis ? ['--cluster', redis.url, '--state', join(root, name)] : []
  const child = run([join(checkout, 'packages/framework/bin/framework.cjs'), 'start', ...cluster], env)
  instances.push(child)
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"event_set_aside"')) setAside.add(JSON.parse(line).id)
  })
  await lineOf(child, (line) => line.includes(' is ready'))
}

/** Kills instances at equal distances while people click. */
async function killInstances(baseUrl) {
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep((CLICKS * 1000) / RATE / KILLS)
    const [child] = instances.splice(Math.floor(random() * instances.length), 1)
    child.kill('SIGKILL')
    killedAtMs.push(Date.now())
    await startBotProcess(baseUrl)
  }
}

async function startServiceProcess() {
  const world = {
    people: people.map((username) => ({ username })),
    bots: [{ username: 'clicked', owner: people[0], token }],
    servers: [
      {
        name: 'Workshop',
        owner: people[0],
        members: people.slice(1),
        bots: ['clicked'],
        channels: channels.map((name) => ({ name })),
      },
    ],
  }
  const file = join(root, 'world.json')
  writeFileSync(file, JSON.stringify(world))
  const main = join(checkout, 'packages/service/dist/main.js')
  const child = run([main, '--port', '0', '--memory', '--world', file], process.env)
  return JSON.parse(await lineOf(child, (line) => line.startsWith('{"ready"')))
}

function run(argv, env) {
  const child = spawn(process.execPath, argv, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return child
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

function lineOf(child, wanted) {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`a process ended with code ${code} before it was ready`)))
    // Read to the end: a full pipe would block the process.
    createInterface({ input: child.stdout }).on('line', (line) => wanted(line) && resolve(line))
  })
}

async function signIn(url) {
  const tokens = new Map()
  for (const username of people) {
    const answer = await fetch(`${url}/people/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username }),
    })
    tokens.set(username, (await answer.json()).token)
  }
  return tokens
}

/** Calls of the people's side. */
function callsOf(url, tokens) {
  return async (name, method, path, body) => {
    const answer = await fetch(`${url}/people/v1${path}`, {
      method,
      headers: { authorization: `Person ${tokens.get(name)}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
}

/** Posts a board in each channel; the last one gets the blocking click. */
async function postBoards(call) {
  const { body: me } = await call(people[0], 'GET', '/me')
  const { body: server } = await call(people[0], 'GET', `/servers/${me.servers[0].id}`)
  const ids = channels.map((name) => server.channels.find((channel) => channel.name === name).id)
  for (const id of ids) await call(people[0], 'POST', `/channels/${id}/messages`, { content: '/board' })
  const boards = []
  for (const channel of ids) {
    const limitMs = Date.now() + 30_000
    for (;;) {
      const { body } = await call(people[0], 'GET', `/channels/${channel}/messages?limit=10`)
      const board = body.messages.find((message) => message.components?.length > 0)
      if (board) {
        const buttons = board.components.flatMap((row) => row.components)
        boards.push({
          path: `/channels/${channel}/messages/${board.id}/clicks`,
          customId: Object.fromEntries(buttons.map(({ label, custom_id }) => [label, custom_id])),
        })
        break
      }
      if (Date.now() > limitMs) throw new Error('a board was not posted within 30 s')
      await sleep(20)
    }
  }
  return boards
}

/** Clicks at the given rate, regardless of the results of earlier clicks. */
async function clickAll(call, boards) {
  const clicks = []
  const refused = []
  const open = []
  const one = async (person, board, kind) => {
    const { status, body } = await call(person, 'POST', board.path, { custom_id: board.customId[kind] })
    if (status === 200) clicks.push({ id: body.interaction_id, person, kind, answers: [] })
    else refused.push(`${status} ${body.error}`)
  }
  const startMs = performance.now()
  for (let i = 0; i < CLICKS; i++) {
    const early = startMs + (i * 1000) / RATE - performance.now()
    if (early > 0) await sleep(early)
    const isBlock = i === Math.floor(CLICKS / 5)
    const board = isBlock ? boards[BOARDS] : boards[Math.floor(random() * BOARDS)]
    open.push(one(people[i % PEOPLE], board, isBlock ? 'block' : deck[Math.floor(random() * deck.length)]))
  }
  await Promise.all(open)
  return { clicks, refused }
}

function isWhole({ kind, answers }) {
  return answers.some(({ type }) => type === (kinds[kind]?.answer ?? 'reply'))
}

/** Polls until each click has the answer of its handler: clicks on one board run one after the other. */
async function collect(call, clicks) {
  const limitMs = Date.now() + 30_000 + BLOCK_MS + (CLICKS / BOARDS) * SLOW_MS
  for (;;) {
    const open = clicks.filter((click) => !isWhole(click))
    for (const click of open) click.answers = (await call(click.person, 'GET', `/clicks/${click.id}`)).body.answers
    if (open.every(isWhole) || Date.now() > limitMs) return
    await sleep(500)
  }
}

async function feed(baseUrl, after) {
  const answer = await fetch(`${baseUrl}/events?after=${after}`, { headers: { authorization: `Bot ${token}` } })
  return answer.json()
}

/** The event of each interaction, and when the service created it, from the bot's feed. */
async function interactionsOf(baseUrl, from) {
  const interactions = new Map()
  for (let after = from; ;) {
    const { events, last } = await feed(baseUrl, after)
    for (const { id, type, data, created_at } of events)
      if (type === 'interaction') interactions.set(data.id, { event: id, createdMs: Date.parse(created_at) })
    if (events.length === 0) return interactions
    after = last
  }
}

/** Prints the figures and returns whether all guarantees held. */
function judge(clicks, refused, interactions) {
  const waits = []
  let failed = 0
  let acks = 0
  let twice = 0
  let twiceWithoutDeath = 0
  for (const { id, kind, answers } of clicks) {
    const { createdMs } = interactions.get(id)
    const [first] = answers
    const waitMs = first ? Date.parse(first.at) - createdMs : Infinity
    if (waitMs >= limits.interaction.answer_seconds * 1000) {
      failed++
      const deaths = killedAtMs.map((atMs) => atMs - createdMs).filter((ms) => Math.abs(ms) < 4000)
      const when = deaths.length > 0 ? `; instances died ${deaths.join(', ')} ms after the click` : ''
      console.error(
        `failed: a click of kind ${kind}, ${first ? `answered after ${waitMs} ms` : 'never answered'}${when}`,
      )
    } else waits.push(waitMs)
    if (first?.type === 'ack') acks++
    const [, second] = answers.filter(({ type }) => type === 'ack')
    if (!second) continue
    twice++
    if (!killedAtMs.some((atMs) => atMs >= createdMs && atMs <= Date.parse(second.at))) twiceWithoutDeath++
  }
  waits.sort((a, b) => a - b)
  const percentile = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? null
  const unfinished = clicks.filter((click) => !isWhole(click) && !setAside.has(interactions.get(click.id).event))
  for (const { id, kind, answers } of unfinished)
    console.error(`unfinished: a click of kind ${kind}, ${id}, has only ${answers.map(({ type }) => type).join(', ')}`)
  console.log(
    JSON.stringify({
      seed: SEED,
      clicks: clicks.length,
      rate: RATE,
      answered: waits.length,
      failed,
      refused: refused.length,
      acks,
      kills: killedAtMs.length,
      twice,
      twiceWithoutDeath,
      setAside: setAside.size,
      unfinished: unfinished.length,
      p50: percentile(0.5),
      p95: percentile(0.95),
      p99: percentile(0.99),
      max: waits.at(-1) ?? null,
    }),
  )
  for (const line of new Set(refused)) console.error(line)
  return (
    [failed, refused.length, unfinished.length, twiceWithoutDeath].every((count) => count === 0) &&
    clicks.length === CLICKS
  )
}
