// Builds the functions, and serves them beside a local chat service: node local/start.js node, or workerd.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defaultWorld, startService } from '@botwright/service'

const programs = new Map([
  ['node', 'server.js'],
  ['workerd', 'local/workerd.js'],
])
const program = programs.get(process.argv[2])
if (!program) {
  console.error('usage: node local/start.js node, or node local/start.js workerd')
  process.exit(2)
}

const { CHAT_PORT = '7420', PORT = '8080' } = process.env
const options = { cwd: fileURLToPath(new URL('../', import.meta.url)), stdio: 'inherit' }
const framework = 'node_modules/@botwright/framework/bin/framework.cjs'
const built = spawnSync(process.execPath, [framework, 'build', '--target', 'fetch', '--out', 'out'], options)
if (built.status !== 0) process.exit(1)

const [token, secret] = ['token-of-the-local-bot', 'secret-of-the-local-bot']
const world = defaultWorld('bot', token)
world.bots[0].event_webhook = { url: `http://127.0.0.1:${PORT}/`, secret }
const service = await startService({ port: Number(CHAT_PORT), world, allowLoopbackWebhooks: true, controls: true })
const env = { ...process.env, PORT, BOT_TOKEN: token, BOT_BASE_URL: service.base_url, BOT_WEBHOOK_SECRET: secret }
// With the source maps, the log has the lines of errors.
const bot = spawn(process.execPath, ['--enable-source-maps', program], { ...options, env })
console.log(`Chat ${service.page}`)

let status
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    status = 0
    bot.kill('SIGTERM')
  })
bot.once('exit', (code) => void service.close().then(() => process.exit(status ?? code ?? 1)))
