// Runs the template webhook behind a real nginx with its own deploy/nginx.conf, and sends /ping PINGS times. Every event must pass
// the proxy with its signature intact. Needs the build, nginx and openssl.
//   PINGS=20 node packages/workspace/soak/webhook-proxy.mjs
// Exit code 0: all were answered, all events came by the webhook, and other requests were rejected.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './rig.mjs'
import { number } from './settings.mjs'

const PINGS = number('PINGS', 20)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const place = process.env['PROXY_PLACE'] ?? mkdtempSync(path.join(tmpdir(), 'botwright-proxy-'))
const certificate = path.join(place, 'certs/fullchain.pem')

if (process.env['PROXY_PLACE'] === undefined) {
  // The service must trust the certificate, which Node reads at startup.
  mkdirSync(path.join(place, 'certs'))
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', path.join(place, 'certs/privkey.pem'), '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...files], {
    stdio: 'ignore',
  })
  const env = { ...process.env, PROXY_PLACE: place, NODE_EXTRA_CA_CERTS: certificate }
  process.exitCode =
    spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { env, stdio: 'inherit' }).status ?? 1
  rmSync(place, { recursive: true, force: true })
} else {
  const running = []
  try {
    await main(running)
  } finally {
    for (const child of running) child.kill('SIGTERM')
  }
  process.exit()
}

async function main(running) {
  const { startService, defaultWorld } = await import(`${root}packages/service/dist/index.js`)
  const { joinChat } = await import(`${root}packages/testing/dist/index.js`)
  const [publicPort, botPort] = [await freePort(), await freePort()]
  const secret = 'secret-of-the-webhook'
  const token = 'token-of-the-template'

  const bot = path.join(place, 'bot')
  cpSync(path.join(root, 'templates/webhook'), bot, { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(bot, 'node_modules'))
  const program = path.join(root, 'packages/framework/bin/framework.cjs')
  execFileSync(process.execPath, [program, 'build'], { cwd: bot, stdio: 'ignore' })

  running.push(startNginx(publicPort, botPort))
  const world = defaultWorld('bot', token)
  world.bots = world.bots.map((one) => ({
    ...one,
    event_webhook: { url: `https://localhost:${publicPort}/events`, secret },
  }))
  const service = await startService({ port: 0, world, allowLoopbackWebhooks: true })
  const env = { PATH: process.env['PATH'], BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  const webhook = { BOT_WEBHOOK_SECRET: secret, WEBHOOK_PORT: String(botPort) }
  const started = spawn(process.execPath, [program, 'start'], { cwd: bot, env: { ...env, ...webhook } })
  running.push(started)
  await new Promise((resolve) => started.stdout.on('data', (text) => String(text).includes('is ready') && resolve()))

  const ann = joinChat(service, { bot: 'bot' }).person('ann')
  for (let i = 0; i < PINGS; i++) expect('the answer', (await ann.says('/ping')).content, 'Pong, ann!')
  const log = readFileSync(path.join(place, 'access.log'), 'utf8').trim().split('\n')
  const taken = log.filter((line) => line === 'POST /events 200').length
  expect('events through the proxy', taken >= PINGS, true)
  const post = { method: 'POST', headers: { 'x-service-bot': 'x', 'x-service-signature': `sha256=${'0'.repeat(64)}` } }
  expect('a forged event', await statusOf(publicPort, '/events', post), 401)
  expect('a look at the address', await statusOf(publicPort, '/events', { method: 'GET' }), 403)
  expect('another address', await statusOf(publicPort, '/', post), 404)
  console.log(`${PINGS} commands answered, ${taken} events came through nginx`)
  await service.close()
}

/** deploy/nginx.conf, filled in like nginx's image does, in a server that runs without root. */
function startNginx(publicPort, botPort) {
  const server = readFileSync(path.join(root, 'templates/webhook/deploy/nginx.conf'), 'utf8')
    .replaceAll('${BOT_HOST}', 'localhost')
    .replaceAll('${NGINX_LOCAL_RESOLVERS}', '127.0.0.1')
    .replaceAll('${BOT_UPSTREAM}', `127.0.0.1:${botPort}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${publicPort} ssl`)
    .replaceAll('/etc/nginx/certs', path.join(place, 'certs'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${place}/${one};`,
  )
  const conf = path.join(place, 'nginx.conf')
  const format = `log_format short '$request_method $uri $status'; access_log ${place}/access.log short;`
  writeFileSync(
    conf,
    `daemon off; pid ${place}/pid; events {}\nhttp {\n${format}\n${temporary.join('\n')}\n${server}\n}\n`,
  )
  const log = ['-e', path.join(place, 'error.log')]
  execFileSync('nginx', ['-t', '-q', ...log, '-p', place, '-c', conf], { stdio: 'inherit' })
  return spawn('nginx', [...log, '-p', place, '-c', conf], { stdio: 'inherit' })
}

function statusOf(port, url, options) {
  return new Promise((resolve, reject) =>
    request({ host: 'localhost', port, path: url, ...options, ca: readFileSync(certificate) }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .once('error', reject)
      .end(),
  )
}

function expect(what, is, wanted) {
  if (is !== wanted) throw new Error(`${what}: ${is} instead of ${wanted}`)
}
