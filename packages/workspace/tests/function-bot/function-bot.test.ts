// @module-tag all/processes
// The bot of the guide "Run on functions": the module that `framework build --target fetch` writes, in workerd, on Node and for Lambda.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { FunctionBot, lambdaHandler } from '@botwright/framework/functions'
import { captureIo, runProgram } from '@botwright/framework/start'
import { defaultWorld, type Service, startService } from '@botwright/service'
import type { PeopleClient } from '@botwright/service/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/lib/free-port.test.fixture.ts'
import { modules, serveInWorkerd } from '../../src/lib/workerd.test.fixture.ts'
import { type OwnServer, redisServer, startRedis, startRest } from '../redis.test.fixture.ts'
import { joinGeneral } from './person.test.fixture.ts'

const token = 'token-of-the-poll-bot'
const here = fileURLToPath(new URL('.', import.meta.url))

describe.skipIf(redisServer === undefined)('the bot of the guide', () => {
  let root: string
  let service: Service
  let redis: OwnServer
  let rest: OwnServer & { token: string }
  let ann: PeopleClient
  let channel_id: string
  let bot_id: string
  const children: ChildProcess[] = []

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'botwright-functions-'))
    await cp(join(here, 'bot'), root, { recursive: true })
    await symlink(modules, join(root, 'node_modules'))
    await writeFile(join(root, 'package.json'), '{"type":"module"}')
    const io = captureIo({ cwd: root, env: { ...process.env } })
    expect([await runProgram(['build', '--target', 'fetch'], io), io.stderr.text]).toEqual([0, ''])
    for (const name of ['server.js', 'lambda.js']) await cp(join(here, name), join(root, name))
    redis = await startRedis()
    rest = await startRest(redis)
    service = await startService({
      port: 0,
      world: defaultWorld('poll', token),
      allowLoopbackWebhooks: true,
      controls: true,
    })
    ;({ person: ann, channel_id } = await joinGeneral(service, 'ann'))
    bot_id = (await ann.bots.list()).bots[0]!.id
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await service.close()
    await rest[Symbol.asyncDispose]()
    await redis[Symbol.asyncDispose]()
    await rm(root, { recursive: true, force: true })
  })

  const contents = async () =>
    (await ann.messages.list({ channel_id, limit: 50 })).messages.map(({ content }) => content)

  /** Sends the events to a URL, and returns the variables of the function. */
  async function variables(url: string): Promise<Record<string, string>> {
    const { secret } = await ann.bots.setEventWebhook({ bot_id, url })
    return {
      BOT_TOKEN: token,
      BOT_BASE_URL: service.base_url,
      BOT_WEBHOOK_SECRET: secret!,
      REDIS_REST_URL: rest.url,
      REDIS_REST_TOKEN: rest.token,
    }
  }

  /** The answers to clicks, in order. */
  async function answers(): Promise<string[]> {
    const { calls } = (await (await fetch(`${service.url}/controls/v1/journal`)).json()) as {
      calls: { path: string; body?: { type: string } }[]
    }
    return calls.flatMap(({ path, body }) => (body && path.endsWith('/callback') ? [body.type] : []))
  }

  /** A person starts a poll, and votes. */
  async function pollOnce(question: string): Promise<void> {
    await ann.messages.create({ channel_id, content: `/poll ${question}` })
    await expect.poll(contents).toContain(question)
    const { messages } = await ann.messages.list({ channel_id, limit: 50 })
    const poll = messages.find(({ content }) => content === question)!
    const custom_id = poll.components[0]!.components[0]!.custom_id!
    await ann.clicks.create({ channel_id, message_id: poll.id, custom_id })
  }

  test('runs in workerd, the runtime of Workers', async () => {
    const port = await freePort()
    const { child, output } = await serveInWorkerd(root, port, await variables(`http://127.0.0.1:${port}/`))
    children.push(child)
    const scheduled = async () => (await fetch(`http://127.0.0.1:${port}/scheduled`)).text()
    await expect.poll(() => scheduled().catch(output)).toBe('done')
    await pollOnce('Tea in workerd?')
    await expect.poll(contents).toContain('ann votes yes')
    expect(await scheduled()).toBe('done')
    expect(output()).not.toContain('"level":"error"')
    child.kill()
    await once(child, 'exit')
  })

  test('runs on Node, where it knows what it did in Workers', async () => {
    const port = await freePort()
    const env = { ...process.env, ...(await variables(`http://127.0.0.1:${port}/`)), PORT: String(port) }
    const child = spawn(process.execPath, ['server.js'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(404)
    await pollOnce('Tea on Node?')
    // Ann has voted in workerd today: the cooldown refuses.
    await expect.poll(answers).toEqual(['update', 'ephemeral'])
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('runs on Lambda, for events and for a schedule', async () => {
    await ann.bots.setEventWebhook({ bot_id, url: null })
    const env = await variables('http://127.0.0.1:9/')
    Object.assign(process.env, env)
    const { handler } = (await import(pathToFileURL(join(root, 'lambda.js')).href)) as {
      handler: ReturnType<typeof lambdaHandler>
    }
    await ann.messages.create({ channel_id, content: '/poll Tea on Lambda?' })
    expect(await handler({ source: 'aws.events' })).toBeUndefined()
    expect(await contents()).toContain('Tea on Lambda?')
    const http = { requestContext: { http: { method: 'POST' } }, rawPath: '/', headers: {}, body: '{}' }
    expect(await handler(http)).toMatchObject({ statusCode: 401, isBase64Encoded: true })
    expect(await handler({ ...http, requestContext: { http: { method: 'GET' } }, body: undefined })).toMatchObject({
      statusCode: 404,
    })
    for (const name of Object.keys(env)) delete process.env[name]
  })

  test('keeps its values in files of this machine', async () => {
    const io = captureIo({ cwd: root, env: { ...process.env } })
    await cp(join(here, 'files/bot.config.ts'), join(root, 'bot.config.ts'))
    expect([await runProgram(['build', '--target', 'fetch', '--out', 'files'], io), io.stderr.text]).toEqual([0, ''])
    await ann.bots.setEventWebhook({ bot_id, url: null })
    const cwd = process.cwd()
    process.chdir(root)
    try {
      const { default: bot } = (await import(pathToFileURL(join(root, 'files/bot.mjs')).href)) as {
        default: FunctionBot
      }
      await bot.scheduled({}, await variables('http://127.0.0.1:9/'))
    } finally {
      process.chdir(cwd)
    }
    expect(await readdir(join(root, '.data'))).toContain('botwright_function_3acommands')
  })

  test('is the default export of one module', async () => {
    expect((await readdir(join(root, 'dist'))).sort()).toEqual(['bot.mjs', 'bot.mjs.map', 'botwright.json'])
    const { default: bot } = (await import(pathToFileURL(join(root, 'dist/bot.mjs')).href)) as { default: FunctionBot }
    expect(Object.keys(bot)).toEqual(['fetch', 'scheduled'])
  })
})
