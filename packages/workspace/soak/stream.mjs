// Streams a text into messages while people click elsewhere, and compares the clicks with those of a quiet bot.
//   PER_SECOND=200 SECONDS=60 CLICKS_PER_SECOND=5 node packages/workspace/soak/stream.mjs
// Needs the build. Runs the real service and `framework start`, each in its own process. Exit code 0: no answer of 429, the exact text in
// the end, p95 of the time until a token is shown at most 1.2 s, and p99 of the clicks at most 5 ms worse.
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '@botwright/service'
import { newFolder, startBot, token, writeBot } from './rig.mjs'
import { number } from './settings.mjs'

const PER_SECOND = number('PER_SECOND', 200)
const SECONDS = number('SECONDS', 60)
const CLICKS_PER_SECOND = number('CLICKS_PER_SECOND', 5)
const MAX_LAG_MS = 1200
const MAX_WORSE_MS = 5
/** A person clicks at most 5 times in 10 s (§8). */
const PEOPLE = Math.ceil(CLICKS_PER_SECOND * 3)

const people = Array.from({ length: PEOPLE }, (_, i) => `p${i}`)
const folder = newFolder('stream')
const root = writeBot(folder, {
  // A token is its number, as long as the tokens of models are on average, so the reader of the channel knows when it was written.
  'commands/tell.js': `const count = ${PER_SECOND * SECONDS}
async function* tokens(beganMs) {
  for (let i = 0; i < count; i++) {
    const early = beganMs + (i * 1000) / ${PER_SECOND} - Date.now()
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early))
    yield i.toString(36).padStart(3, '0') + ' '
  }
}
export default async (ctx) => {
  const beganMs = Date.now() + 500
  await ctx.send(ctx.channel_id, 'BEGIN ' + beganMs)
  const { text } = await ctx.stream(tokens(beganMs), { timeout: '10m' })
  await ctx.send(ctx.channel_id, 'END ' + text.length)
}`,
  'commands/board.js': `export default (ctx) => ctx.reply({ content: 'board', components: [{ type: 'row', components: [
    { type: 'button', style: 'primary', label: 'Go', custom_id: 'go' }] }] })`,
  'buttons/go.js': `export default (ctx) => ctx.ephemeral('hi')`,
})
const service = await startService({
  port: 0,
  controls: true,
  world: {
    people: people.map((username) => ({ username })),
    bots: [{ username: 'teller', owner: 'p0', token }],
    servers: [
      {
        ...{ name: 'Workshop', owner: 'p0', members: people.slice(1), bots: ['teller'] },
        channels: [{ name: 'text' }, { name: 'board' }],
      },
    ],
  },
})
const { channels } = service.world.servers.Workshop
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
const bot = startBot({ root, env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'info' } })
await bot.ready
await call('p0', 'POST', `/channels/${channels.board}/messages`, { content: '/board' })
const board = await until(async () => {
  const { messages } = await call('p0', 'GET', `/channels/${channels.board}/messages?limit=10`)
  return messages.find(({ components }) => components?.length > 0)
})

await clickFor(5)
const quiet = await clickFor(Math.min(SECONDS, 20))
await call('p0', 'POST', `/channels/${channels.text}/messages`, { content: '/tell' })
const lags = []
let isOver = false
const watching = watch()
const busy = await clickFor(SECONDS)
const shown = await until(async () => {
  const messages = await texts()
  return messages.at(-1)?.startsWith('END') && messages
}, 60_000)
isOver = true
await watching
const all = shown
  .filter((text) => /^\d/.test(text))
  .join(' ')
  .replaceAll(/\s+/g, ' ')
  .trim()
const count = all.split(' ').length
const length = Number(shown.at(-1).split(' ')[1])
const { calls } = await (await fetch(`${service.url}/controls/v1/journal`)).json()
const edits = calls.filter(({ method }) => method === 'PATCH')
const refused = calls.filter(({ status }) => status === 429).length
bot.child.kill('SIGTERM')
await bot.ended
await service.close()
rmSync(folder, { recursive: true, force: true })
const at = (list, share) => list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
const wanted = Array.from({ length: PER_SECOND * SECONDS }, (_, i) => i.toString(36).padStart(3, '0'))
const isExact = all === wanted.join(' ') && length === wanted.length * 4
const result = {
  ...{ tokens: count, messages: shown.length - 3, edits: edits.length, refused, isExact },
  ...{ lagP50: at(lags, 0.5), lagP95: at(lags, 0.95), lagMax: lags.at(-1) },
  ...{
    clicks: busy.length,
    quietP50: at(quiet, 0.5),
    quietP99: at(quiet, 0.99),
    p50: at(busy, 0.5),
    p99: at(busy, 0.99),
  },
}
console.log(JSON.stringify(result))
const good = refused === 0 && isExact && result.lagP95 <= MAX_LAG_MS && result.p99 - result.quietP99 <= MAX_WORSE_MS
process.exit(good ? 0 : 1)

/** The texts of the channel, the oldest first. */
async function texts() {
  const { messages } = await call('p0', 'GET', `/channels/${channels.text}/messages?limit=100`)
  return messages.map(({ content }) => content)
}

/** Follows the channel as a person's page does, and notes how late each token is shown. */
async function watch() {
  const answer = await fetch(`${service.url}/people/v1/stream`, {
    headers: { authorization: `Person ${service.world.people.p0.token}` },
  })
  let newest = -1
  let beganMs
  let half = ''
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (half + part).split('\n')
    half = lines.pop()
    const nowMs = Date.now()
    for (const line of lines) {
      beganMs ??= Number(/BEGIN (\d+)/.exec(line)?.[1] ?? NaN) || undefined
      const content = /"content":"([0-9a-z]{3} [^"]*)"/.exec(line)?.[1] ?? ''
      for (const [, token] of content.matchAll(/([0-9a-z]{3}) /g)) {
        const at = parseInt(token, 36)
        if (at <= newest) continue
        newest = at
        lags.push(nowMs - beganMs - (at * 1000) / PER_SECOND)
      }
    }
    if (isOver) return
  }
}

/** Clicks at a steady rate; resolves with how long each click waited for its answer, in ms. */
async function clickFor(seconds) {
  const waits = []
  const open = []
  const beganMs = performance.now()
  for (let i = 0; i < seconds * CLICKS_PER_SECOND; i++) {
    const early = beganMs + (i * 1000) / CLICKS_PER_SECOND - performance.now()
    if (early > 0) await sleep(early)
    open.push(click(people[i % PEOPLE]).then((ms) => waits.push(ms)))
  }
  await Promise.all(open)
  return waits
}

async function click(person) {
  const { custom_id } = board.components[0].components[0]
  const beganMs = Date.now()
  const { interaction_id: id } = await call(person, 'POST', `/channels/${channels.board}/messages/${board.id}/clicks`, {
    custom_id,
  })
  const answers = await until(async () => {
    const { answers } = await call(person, 'GET', `/clicks/${id}`)
    return answers.length > 0 && answers
  })
  return Date.parse(answers[0].at) - beganMs
}

async function until(find, limitMs = 20_000) {
  const endMs = Date.now() + limitMs
  for (;;) {
    const found = await find()
    if (found) return found
    if (Date.now() > endMs) throw new Error(`nothing within ${limitMs / 1000} s`)
    await sleep(5)
  }
}
