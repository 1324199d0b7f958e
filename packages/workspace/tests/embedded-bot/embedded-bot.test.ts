// @module-tag all/processes
import { type ChildProcess, fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { captureIo, runProgram } from '@botwright/framework/start'
import { defaultWorld, type Service, startService } from '@botwright/service'
import { connectPeople } from '@botwright/service/people'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The servers of the guide "Put the bot into your server", each as a process of its own.

const token = 'token-of-the-embedded-bot'
const secret = 'secret-of-the-shop'
const here = fileURLToPath(new URL('.', import.meta.url))
const programs = [
  'express',
  'fastify',
  'hono',
  'http',
  'script',
  'next/instrumentation',
  'next/app/bot/[...path]/route',
]

/** Next, as far as the bot knows it. */
const next = `import { serve } from '@hono/node-server'
import { register } from './next/instrumentation.mjs'
import * as route from './next/app/bot/[...path]/route.mjs'
await register()
const server = serve({
  fetch: (request) => new URL(request.url).pathname.startsWith('/bot/') ? route[request.method](request) : new Response('the shop'),
  port: 0,
})
process.once('SIGTERM', async () => {
  server.close()
  await globalThis.bot.stop()
})
`
/** Sends the port of the server to the test. Threads load this too. */
const sendPort = `import { subscribe } from 'node:diagnostics_channel'
subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => process.send(server.address().port))
process.channel?.unref()
`

let root: string
let service: Service

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'botwright-embedded-'))
  await cp(join(here, 'my-bot'), join(root, 'my-bot'), { recursive: true })
  await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(root, 'node_modules'))
  await writeFile(join(root, 'my-bot/package.json'), '{"type":"module"}')
  await writeFile(join(root, 'next.mjs'), next)
  await writeFile(join(root, 'send-port.mjs'), sendPort)
  await mkdir(join(root, 'next/app/bot/[...path]'), { recursive: true })
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
  for (const name of programs) {
    const text = await readFile(join(here, `${name}.ts`), 'utf8')
    await writeFile(join(root, `${name}.mjs`), ts.transpileModule(text, { compilerOptions }).outputText)
  }
  const io = captureIo({ cwd: join(root, 'my-bot'), env: { ...process.env } })
  expect([await runProgram(['build'], io), io.stderr.text]).toEqual([0, ''])
  const world = defaultWorld('bot', token)
  const [bot, ...others] = world.bots!
  const event_webhook = { url: 'http://127.0.0.1:9/', secret }
  const bots = [{ ...bot!, event_webhook }, ...others]
  service = await startService({ port: 0, world: { ...world, bots }, allowLoopbackWebhooks: true })
})
afterAll(async () => {
  await service?.close()
  await rm(root, { recursive: true, force: true })
})

const channel = () => service.world.servers['Workshop']!.channels['general']!
const ann = () => connectPeople(() => ({ origin: service.url, token: service.world.people['ann']!.token }))
const texts = async () =>
  (await ann().messages.list({ channel_id: channel(), limit: 100 })).messages.map(({ content }) => content)

function start(name: string): ChildProcess & { output: () => string } {
  const child = fork(join(root, `${name}.mjs`), {
    cwd: root,
    silent: true,
    execArgv: ['--import', join(root, 'send-port.mjs')],
    env: {
      ...process.env,
      ...{ PORT: '0', NEXT_RUNTIME: 'nodejs', ORDERS: channel(), SHOP_SECRET: secret },
      ...{ BOT_TOKEN: token, BOT_BASE_URL: service.base_url, BOT_WEBHOOK_SECRET: secret },
    },
  })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)))
  return Object.assign(child, { output: () => output })
}

test.each(['express', 'fastify', 'hono', 'http', 'next'])('a server with %s', async (name) => {
  const child = start(name)
  try {
    const port = await Promise.race([
      once(child, 'message').then(([given]) => Number(given)),
      once(child, 'exit').then(() => Promise.reject(new Error(child.output()))),
    ])
    const url = `http://127.0.0.1:${port}`
    expect(await (await fetch(url)).text()).toBe('the shop')
    expect(await (await fetch(`${url}/bot/status`)).json()).toEqual({ bot: 'bot' })
    // The page of the small server has all paths.
    expect((await fetch(`${url}/bot/unknown`)).status).toBe(name === 'http' ? 200 : 404)

    // Signed over its bytes, which no parser writes.
    const body = `{ "number":  ${port} }`
    const order = (signature: string) =>
      fetch(`${url}/bot/order`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'x-shop-signature': `sha256=${signature}` },
      })
    expect((await order('0'.repeat(64))).status).toBe(401)
    expect((await order(createHmac('sha256', secret).update(body).digest('hex'))).status).toBe(202)
    await expect.poll(texts).toContain(`order ${port}`)

    const { id } = (await ann().bots.list()).bots[0]!
    await ann().bots.setEventWebhook({ bot_id: id, url: `${url}/bot/events` })
    const before = (await texts()).filter((text) => text === 'pong').length
    await ann().messages.create({ channel_id: channel(), content: '/ping' })
    await expect.poll(async () => (await texts()).filter((text) => text === 'pong')).toHaveLength(before + 1)

    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(child.output()).toContain('"msg":"stopped"')
    expect(child.output()).not.toContain(token)
  } finally {
    child.kill('SIGKILL')
  }
})

test('a script ends by itself', async () => {
  const child = start('script')
  expect([await once(child, 'exit'), child.output()]).toEqual([[0, null], expect.stringContaining('"msg":"stopped"')])
  expect(await texts()).toContain('bot counts the stock')
})
