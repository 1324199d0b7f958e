// The bots that functions.mjs compares, each as one module for workerd, with its requests.
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = path.join(here, '../../../../')
const GRAMMY = '1.46.0'
const token = '1:token-of-the-bench'
const secret = 'secret-of-the-bench'
export const botId = '00000000-0000-4000-8000-000000000001'
const text = 'hello world, this is a message'

/** An event webhook of the service. */
function eventRequest(n) {
  const channel_id = `00000000-0000-4000-8000-${String(9000 + (n % 50)).padStart(12, '0')}`
  const data = {
    ...{ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, channel_id, channel_name: 'general' },
    ...{ server_id: botId, author_id: '00000000-0000-4000-8000-000000005001', author: 'ada', attachment: null },
    ...{ content: `/echo ${text}`, reply_to_id: null, created_at: '2026-01-01T00:00:00.000Z', mentioned: false },
    ...{ author_bot: false, command: 'echo', args: text },
  }
  const body = JSON.stringify({ id: 1_000_000 + n, event: 'message', data })
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return { body, headers: { 'x-service-bot': botId, 'x-service-signature': signature } }
}

/** A webhook of Telegram, which its secret alone authenticates. */
function updateRequest(n) {
  const person = { id: 5001, first_name: 'Ada', username: 'ada' }
  const message = {
    ...{ message_id: n, date: 1_790_000_000, from: { ...person, is_bot: false, language_code: 'en' } },
    ...{ chat: { ...person, id: 9000 + (n % 50), type: 'private' }, text: `/echo ${text}` },
    entities: [{ type: 'bot_command', offset: 0, length: 5 }],
  }
  return {
    body: JSON.stringify({ update_id: 1_000_000 + n, message }),
    headers: { 'x-telegram-bot-api-secret-token': secret },
  }
}

/** Prepares the modules in a folder. `origin` is the stub of both services; `redis` its store over HTTP, if there is one. */
export async function prepareSubjects(folder, { origin, redis }) {
  const env = { BOT_TOKEN: token, BOT_BASE_URL: `${origin}/v1`, BOT_WEBHOOK_SECRET: secret }
  const botInfo = { id: 1, is_bot: true, first_name: 'bench', username: 'bench', can_join_groups: true }
  const ours = buildOurs(path.join(folder, 'botwright'))
  const overHttp = redis && { REDIS_REST_URL: redis.url, REDIS_REST_TOKEN: redis.token }
  return [
    { name: 'botwright', file: ours, env, request: eventRequest },
    ...(overHttp
      ? [{ name: 'botwright, Redis over HTTP', file: ours, env: { ...env, ...overHttp }, request: eventRequest }]
      : []),
    {
      name: `grammY ${GRAMMY}`,
      file: await bundleGrammy(path.join(folder, 'grammy')),
      env: { ...env, BOT_INFO: JSON.stringify(botInfo), API_ROOT: origin },
      request: updateRequest,
    },
    {
      name: 'no framework',
      file: await bundle(path.join(here, 'raw.mjs'), path.join(folder, 'raw')),
      env,
      request: eventRequest,
    },
  ]
}

/** As `framework build --target fetch` writes it. The budget of 30 messages a minute is off: the stub has none. */
function buildOurs(folder) {
  mkdirSync(path.join(folder, 'commands'), { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    path.join(folder, 'bot.config.ts'),
    `import { defineConfig, MemoryStore } from '@botwright/framework'
import { httpRedisStore } from '@botwright/framework/functions'
export default defineConfig({
  messageBudget: false,
  store: ({ clock }) => {
    const { REDIS_REST_URL: url, REDIS_REST_TOKEN: token } = process.env
    return url && token ? httpRedisStore({ url, token, clock }) : new MemoryStore(clock)
  },
})
`,
  )
  writeFileSync(
    path.join(folder, 'commands/echo.ts'),
    `import { command, rest } from '@botwright/framework'
export default command({ description: 'Repeats a text', args: { text: rest() }, run: (ctx) => ctx.args.text })
`,
  )
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir')
  const program = path.join(folder, 'node_modules/@botwright/framework/bin/framework.cjs')
  execFileSync(process.execPath, [program, 'build', '--target', 'fetch'], { cwd: folder, stdio: 'pipe' })
  return path.join(folder, 'dist/bot.mjs')
}

/** As the guide of grammY for Cloudflare Workers has it: with botInfo, so that no start asks for it. One Bot serves all requests. */
const ofGrammy = `import { Bot, webhookCallback } from 'grammy'

let handle

export default {
  fetch(request, env) {
    handle ??= create(env)
    return handle(request)
  },
}

function create(env) {
  const bot = new Bot(env.BOT_TOKEN, { botInfo: JSON.parse(env.BOT_INFO), client: { apiRoot: env.API_ROOT } })
  bot.command('echo', (ctx) => ctx.reply(ctx.match))
  return webhookCallback(bot, 'cloudflare-mod', { secretToken: env.BOT_WEBHOOK_SECRET })
}
`

/** grammY is not a dependency of this repository. */
function bundleGrammy(folder) {
  mkdirSync(folder)
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: { grammy: GRAMMY } }),
  )
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'inherit' })
  writeFileSync(path.join(folder, 'grammy.mjs'), ofGrammy)
  return bundle(path.join(folder, 'grammy.mjs'), folder)
}

/** One module, as wrangler makes it with --minify. */
async function bundle(entry, folder) {
  const outfile = path.join(folder, 'dist/bot.mjs')
  const conditions = ['workerd', 'worker', 'browser']
  await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    minify: true,
    conditions,
    target: 'es2023',
    outfile,
  })
  return outfile
}

/** The module without what esbuild can leave out. Ours keeps its names, for readable stacks. */
export async function minified(file) {
  const options = { entryPoints: [file], minify: true, format: 'esm', target: 'es2023', write: false }
  return (await build(options)).outputFiles[0].contents
}
