// Measures ctx.stream on the local service: node stream.mjs [seconds] [tokens per second]
// A bot streams a text while people click its buttons. Prints a line of JSON; exits with 1 if a limit is exceeded.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const [seconds = 60, rate = 200] = process.argv.slice(2).map(Number)
const LIMITS = { lagP95Ms: 1200, clickP99MoreMs: 5 }
const CURSOR = ' ▍'
/** The service allows a person five clicks in ten seconds (§8). */
const PEOPLE = 40
const CLICK_EVERY_MS = 2500

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = path.join(root, 'packages/framework/bin/framework.cjs')
const folder = mkdtempSync(path.join(tmpdir(), 'botwright-stream-'))
const times = path.join(folder, 'times.json')
const files = {
  'package.json': '{"type":"module"}',
  'commands/board.js': `export default () => ({ content: 'board', components: [{ type: 'row', components: [
    { type: 'button', style: 'primary', label: 'Go', custom_id: 'go' }] }] })`,
  'buttons/go.js': 'export default (ctx) => ctx.ack()',
  // Tokens of 4 characters, which is the average of English text in current models.
  'commands/talk.js': `import { writeFileSync } from 'node:fs'
    const tokens = ['the ', 'bot ', 'sees', ' it ', 'now ', '**a** ', 'and ', 'b.\\n']
    const now = () => performance.timeOrigin + performance.now()
    async function* source(made) {
      const begin = now()
      for (let i = 0; i < ${seconds * rate}; i++) {
        const waitMs = begin + (i * 1000) / ${rate} - now()
        if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs))
        made.push({ atMs: now(), text: tokens[i % tokens.length] })
        yield tokens[i % tokens.length]
      }
    }
    export default async (ctx) => {
      const made = []
      const { text, messages, end } = await ctx.stream(source(made), { timeout: '${seconds + 60}s' })
      writeFileSync(${JSON.stringify(times)}, JSON.stringify({ made, text, end, ids: messages.map(({ id }) => id) }))
      await ctx.reply('finished')
    }`,
}
for (const [file, text] of Object.entries(files)) {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), text)
}
symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
const people = ['ann', ...Array.from({ length: PEOPLE }, (_, i) => `p${i}`)].map((username) => ({ username }))
const names = people.map(({ username }) => username)
const world = {
  people,
  bots: [{ username: 'talker', owner: 'ann', token: 'token-of-the-stream-benchmark' }],
  servers: [
    { name: 'Hall', owner: 'ann', members: names, bots: ['talker'], channels: [{ name: 'talk' }, { name: 'board' }] },
  ],
}
writeFileSync(path.join(folder, 'world.json'), JSON.stringify(world))

const children = []
function start(args, env = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}
const line = async (child, fits) => {
  let output = ''
  for await (const chunk of child.stdout) if (fits.test((output += chunk))) break
  child.stdout.resume()
  return output
}

try {
  if (spawnSync(process.execPath, [program, 'build'], { cwd: folder, stdio: 'inherit' }).status !== 0)
    throw new Error('the bot does not build')
  const service = start(['service', '--port', '0', '--world', 'world.json', '--controls'])
  const { url, base_url } = JSON.parse(await line(service, /\n/))
  const bot = start(['start', 'dist'], { BOT_TOKEN: world.bots[0].token, BOT_BASE_URL: base_url })
  await line(bot, /is ready/)
  await measure(url)
} finally {
  for (const child of children.reverse()) {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}

async function measure(url) {
  const now = () => performance.timeOrigin + performance.now()
  const request = async (token, method, at, body) => {
    const answer = await fetch(`${url}/people/v1${at}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Person ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const join = async (username) => {
    const { token } = await request(undefined, 'POST', '/sessions', { username })
    return { token, does: (...given) => request(token, ...given) }
  }
  const [ann, ...others] = await Promise.all(names.map(join))
  const { servers } = await ann.does('GET', '/me')
  const { channels } = await ann.does('GET', `/servers/${servers[0].id}`)
  const [talk, board] = ['talk', 'board'].map((name) => channels.find((one) => one.name === name).id)

  /** The number of visible characters by the time at which ann sees them, and the end of the stream. */
  const contents = new Map()
  const visible = []
  let finished = () => {}
  const end = new Promise((resolve) => (finished = resolve))
  let last = 0
  void listen(url, ann.token, (type, { message }) => {
    if (!/^message_(?:create|update)$/.test(type) || message.channel_id !== talk) return
    if (message.content === 'finished') return finished()
    if (message.content.startsWith('/')) return
    contents.set(message.id, message.content)
    const count = [...contents.values()].reduce((sum, text) => sum + letters(text.replace(CURSOR, '')), 0)
    if (count > last) visible.push({ atMs: now(), count: (last = count) })
  })
  await ann.does('POST', `/channels/${board}/messages`, { content: '/board' })
  const button = await until(async () => {
    const { messages } = await ann.does('GET', `/channels/${board}/messages`)
    return messages.find(({ components }) => components.length > 0)
  })
  const waiting = new Map()
  for (const { token } of others)
    void listen(url, token, (type, { interaction_id, state }) => {
      if (type === 'click' && state === 'answered') waiting.get(interaction_id)?.(now())
    })
  await sleep(1000)
  /** Clicks for a time; the latencies in ms, sorted. */
  const click = async (forMs) => {
    const latencies = []
    const endMs = now() + forMs
    await Promise.all(
      others.map(async (person, i) => {
        await sleep((i * CLICK_EVERY_MS) / others.length)
        while (now() < endMs) {
          const beganMs = now()
          const at = `/channels/${board}/messages/${button.id}/clicks`
          const { interaction_id } = await person.does('POST', at, { custom_id: 'go' })
          const answered = new Promise((resolve) => waiting.set(interaction_id, resolve))
          const seenMs = await Promise.race([answered, sleep(3000, Infinity)])
          latencies.push(seenMs - beganMs)
          await sleep(CLICK_EVERY_MS - ((now() - beganMs) % CLICK_EVERY_MS))
        }
      }),
    )
    return latencies.sort((a, b) => a - b)
  }
  const alone = await click(seconds * 1000)
  await ann.does('POST', `/channels/${talk}/messages`, { content: '/talk' })
  const during = await click(seconds * 1000)
  await end

  const { made, text, end: how, ids } = JSON.parse(readFileSync(times, 'utf8'))
  const lags = []
  let sum = 0
  let at = 0
  for (const token of made) {
    sum += letters(token.text)
    while (at < visible.length - 1 && visible[at].count < sum) at++
    lags.push(visible[at].count >= sum ? visible[at].atMs - token.atMs : Infinity)
  }
  lags.sort((a, b) => a - b)
  const shown = []
  for (const id of ids)
    shown.push(
      (await ann.does('GET', `/channels/${talk}/messages`)).messages.find((one) => one.id === id)?.content ?? '',
    )
  const journal = await (await fetch(`${url}/controls/v1/journal`)).json()
  const result = {
    seconds,
    tokens: made.length,
    characters: text.length,
    messages: ids.length,
    end: how,
    exact: bare(shown.join('')) === bare(text),
    answers429: journal.calls.filter(({ status }) => status === 429).length,
    edits: journal.calls.filter(({ method, path: to }) => method === 'PATCH' && /\/messages\//.test(to)).length,
    lagMs: { p50: part(lags, 0.5), p95: part(lags, 0.95), max: part(lags, 1) },
    clicks: during.length,
    clickMs: { p50: [part(alone, 0.5), part(during, 0.5)], p99: [part(alone, 0.99), part(during, 0.99)] },
  }
  console.log(JSON.stringify(result))
  const holds =
    result.exact &&
    how === 'complete' &&
    result.answers429 === 0 &&
    result.lagMs.p95 <= LIMITS.lagP95Ms &&
    result.clickMs.p99[1] - result.clickMs.p99[0] <= LIMITS.clickP99MoreMs
  process.exitCode = holds ? 0 : 1
}

/** Without white space, which the service removes around a message. */
function bare(text) {
  return text.replaceAll(/\s+/g, '')
}
function letters(text) {
  return bare(text).length
}
function part(sorted, share) {
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN) * 10) / 10
}

async function until(find) {
  for (let i = 0; i < 200; i++) {
    const found = await find()
    if (found) return found
    await sleep(50)
  }
  throw new Error('it did not happen within 10 s')
}

/** Calls back with each event of the stream of a person. */
async function listen(url, token, onEvent) {
  const { body } = await fetch(`${url}/people/v1/stream`, { headers: { authorization: `Person ${token}` } })
  let rest = ''
  try {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop()
      for (const block of blocks) {
        const type = /^event: (.*)$/m.exec(block)?.[1]
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (type && data) onEvent(type, JSON.parse(data))
      }
    }
  } catch {
    // The service has stopped.
  }
}
