// A minimal service for a bot, and the process that starts `framework dev` with it.
// GET /cmdN becomes a command event in its own channel; the bot's message there is the response.
import { spawn } from 'node:child_process'
import http from 'node:http'

const port = Number(process.env.PORT)
const created_at = '2026-01-01T00:00:00.000Z'
const uuid = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const events = []
const answers = new Map()
let last = 1000
let pending

const send = (res, value) => {
  const body = JSON.stringify(value)
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

function pump() {
  if (!pending || events.length === 0) return
  const { res } = pending
  pending = undefined
  send(res, { events: events.splice(0), last })
}

function ask(command, res) {
  const id = ++last
  const data = { id: uuid(id), channel_id: uuid(id), channel_name: 'general', server_id: uuid(1), author_id: uuid(4) }
  Object.assign(data, { author: 'ada', content: `/${command} a b`, attachment: null, reply_to_id: null, created_at })
  Object.assign(data, { mentioned: false, author_bot: false, command, args: 'a b' })
  answers.set(uuid(id), res)
  events.push({ id, type: 'message', created_at, data })
  pump()
}

function poll(req, res) {
  const query = new URL(req.url, 'http://127.0.0.1').searchParams
  if (Number(query.get('after')) === 0) return send(res, { events: [], last })
  pending = { res }
  res.on('close', () => pending?.res === res && (pending = undefined))
  pump()
}

const server = http.createServer((req, res) => {
  let body = ''
  req.on('data', (chunk) => (body += chunk))
  req.on('end', () => {
    const { pathname } = new URL(req.url, 'http://127.0.0.1')
    if (!pathname.startsWith('/v1/')) return ask(pathname.slice(1), res)
    if (pathname === '/v1/events') return poll(req, res)
    if (pathname === '/v1/me') return send(res, { id: uuid(2), username: 'bench', owner_id: uuid(3), created_at })
    if (pathname === '/v1/commands') return send(res, { commands: [] })
    const [, channel] = /^\/v1\/channels\/([^/]+)\/messages$/.exec(pathname) ?? []
    const { content } = JSON.parse(body || '{}')
    send(res, { id: uuid(77), channel_id: channel, content, author_id: uuid(2), author: 'bench', created_at })
    answers.get(channel)?.end(content)
    answers.delete(channel)
  })
})
server.listen(port, '127.0.0.1', () => {
  const env = { ...process.env, BOT_BASE_URL: `http://127.0.0.1:${port}/v1`, BOT_TOKEN: 'bench' }
  const dev = spawn(process.execPath, [process.env.FRAMEWORK, 'dev', '--real'], { env, stdio: 'inherit' })
  dev.on('exit', (code) => process.exit(code ?? 1))
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => dev.kill(signal))
})
