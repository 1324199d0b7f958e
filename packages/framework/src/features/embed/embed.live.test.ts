import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { VirtualClock } from '@botwright/clock'
import { expect, test, vi } from 'vitest'
import { defaults } from '../../author/config/config.ts'
import { createBot } from './create-bot.ts'
import { withImports } from '../routes/route-rig.test.fixture.ts'
import { EmbedRig } from './embed-rig.test.fixture.ts'
import { Embedding } from './embedding.ts'

/** The first tests of the file stand for these. */
const slow = { tags: 'all/live' } as const

const bodyOf = async (response: Response) => [response.status, await response.json()] as [number, unknown]

test('a server passes requests to the bot, before its start and after its stop too', async () => {
  await using rig = await EmbedRig.start()
  const events = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'uncaughtException', 'unhandledRejection']
  const listeners = () => events.map((name) => process.listenerCount(name))
  const before = listeners()
  const bot = await rig.create({ basePath: '/bot/' })
  const url = await rig.serve((req, res) => bot.node(req, res, () => res.end('a page of the program')))
  const alone = await rig.serve(bot.node)
  const page = async (path: string) => (await fetch(url + path)).text()
  const notStarted = [503, { error: 'the bot has not started' }]
  expect(await bodyOf(await fetch(`${url}/bot/status`))).toEqual(notStarted)
  expect(await bodyOf(await bot.fetch(new Request('http://a.test/bot/status')))).toEqual(notStarted)
  expect(await page('/status')).toBe('a page of the program')

  const { me } = await bot.start()
  expect(me.username).toBe('helper')
  expect(await bot.start()).toBe(await bot.start())
  const answered = [200, { path: '/status', query: 'a=1' }]
  expect(await bodyOf(await fetch(`${url}/bot/status?a=1`))).toEqual(answered)
  expect(await bodyOf(await bot.fetch(new Request('http://a.test/bot/status?a=1')))).toEqual(answered)
  for (const path of ['/', '/status', '/bot', '/bottle/status', '/bot/livez', '/bot/control'])
    expect(await page(path)).toBe('a page of the program')
  expect(await bodyOf(await fetch(`${alone}/other`))).toEqual([404, { error: 'the bot has no such path' }])
  expect((await bot.fetch(new Request('http://a.test/other'))).status).toBe(404)
  expect((await fetch(`${url}/bot/echo`)).status).toBe(405)
  await rig.rig.says('ann', '/ping')
  await rig.rig.until(async () => (await rig.rig.texts()).includes('pong'))
  expect(listeners()).toEqual(before)
  expect(rig.lines.filter(({ msg }) => msg.includes('listening'))).toEqual([])

  await bot.stop()
  expect(rig.logged('info').at(-1)).toBe('stopped')
  expect(await bodyOf(await fetch(`${url}/bot/status`))).toEqual([503, { error: 'the bot has stopped' }])
  expect(await page('/')).toBe('a page of the program')
  await bot.stop()
  await bot.start()
  expect((await fetch(`${url}/bot/status`)).status).toBe(200)
  await bot[Symbol.asyncDispose]()
  expect((await fetch(`${url}/bot/status`)).status).toBe(503)
})

test('a body is limited in size, and its bytes must not be read before', async () => {
  await using rig = await EmbedRig.start()
  await using bot = await rig.create({ threads: false })
  await bot.start()
  const url = await rig.serve(bot.node)
  const read = await rig.serve((req, res) => void req.resume().on('end', () => bot.node(req, res)))
  const send = (to: string, size: number) => fetch(`${to}/echo`, { method: 'POST', body: 'x'.repeat(size) })
  const request = (size: number) => new Request('http://a.test/echo', { method: 'POST', body: 'x'.repeat(size) })
  expect(await (await send(url, 1000)).text()).toBe('x'.repeat(1000))
  expect(await (await bot.fetch(request(1000))).text()).toBe('x'.repeat(1000))
  expect((await send(url, 1001)).status).toBe(413)
  expect((await bot.fetch(request(1001))).status).toBe(413)
  const used = request(10)
  await used.text()
  const why =
    'the body of the request was already read, such as by express.json(): pass requests to the bot before anything reads their bodies'
  expect(await bodyOf(await send(read, 10))).toEqual([500, { error: why }])
  expect(await bodyOf(await bot.fetch(used))).toEqual([500, { error: why }])
  expect(rig.logged('error')).toEqual([`POST /echo: ${why}`, `POST /echo: ${why}`])
  expect((await fetch(`${read}/status`)).status).toBe(200)
})

test('a sender has 10 s for a body', async () => {
  await using rig = await EmbedRig.start()
  const clock = new VirtualClock()
  const text = "export default route({ verify: false, respond: true, body: 'text', run: (ctx) => ctx.body })"
  const files = withImports({ 'routes/echo.ts': text })
  await using bot = new Embedding({
    ...{ config: defaults, basePath: '', ports: [], isControlled: false, clock },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    definitions: [{ kind: 'route', name: 'POST /echo', file: 'routes/echo.ts' }],
    start: (given) => rig.rig.startBot(files, { ...given, config: { http: false }, dispatcher: 'inline' }),
  })
  await bot.start()
  const url = await rig.serve(bot.node)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nfew')
  const init = { method: 'POST', body: new ReadableStream(), duplex: 'half' } as const
  const answers = [textOf(socket), bot.fetch(new Request('http://a.test/echo', init)).then((answer) => answer.text())]
  await rig.rig.until(() => clock.waiting === 2)
  await clock.advance(10_000)
  const error = '{"error":"the body did not arrive within 10 s"}'
  expect(await Promise.all(answers)).toEqual([expect.stringMatching(/^HTTP\/1\.1 408 [^]*connection: close/i), error])
})

test.each(['node', 'fetch'] as const)('%s receives event webhooks, signed and once', slow, async (way) => {
  await using rig = await EmbedRig.start()
  rig.configure("delivery: 'webhook', env: z.object({ CHANNEL: z.string(), RELEASE: z.string() })")
  const { id } = (await rig.rig.person('ann').bots.list()).bots[0]!
  const sendTo = (url: string) => rig.rig.person('ann').bots.setEventWebhook({ bot_id: id, url })
  const { secret } = await sendTo('http://127.0.0.1:9/')
  await using bot = await rig.create({ webhookSecret: secret!, basePath: '/bot' })
  const url = await rig.serve((req, res) => {
    if (way === 'node') return bot.node(req, res, () => res.end('a page of the program'))
    const chunks: Buffer[] = []
    req
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const headers = Object.entries(req.headers).map(([name, value]): [string, string] => [name, String(value)])
        const init = { method: req.method!, headers, ...(chunks.length > 0 && { body: Buffer.concat(chunks) }) }
        void bot.fetch(new Request(`http://a.test${req.url}`, init)).then(async (response) => {
          res.writeHead(response.status).end(await response.text())
        })
      })
  })
  const body = JSON.stringify({ id: 1, event: 'message', data: {} })
  const signature = (text: string) => `sha256=${createHmac('sha256', secret!).update(text).digest('hex')}`
  const post = async (text: string, signed: string) =>
    (await fetch(`${url}/bot`, { method: 'POST', body: text, headers: { 'x-service-signature': signed } })).status
  expect(await post(body, signature(body))).toBe(503)
  await bot.start()
  await sendTo(`${url}/bot`)
  expect(await post(body, signature(`${body} `))).toBe(401)
  expect(await post('x'.repeat(1024 * 1024 + 1), signature(body))).toBe(413)
  if (way === 'node') expect(await (await fetch(`${url}/bot`)).text()).toBe('a page of the program')
  await rig.rig.says('ann', '/ping')
  await rig.rig.until(async () => (await rig.rig.texts()).includes('pong'))
  expect((await rig.rig.texts()).filter((text) => text === 'pong')).toHaveLength(1)
  expect(rig.logged('info').filter((line) => line.includes('webhooks on'))).toEqual([])
  await bot.stop()
  expect(await post(body, signature(body))).toBe(503)
})

test('health is part of the server if it is configured, or has its own port', slow, async () => {
  await using rig = await EmbedRig.start()
  rig.configure('health: { port: 0 }, env: z.object({ CHANNEL: z.string(), RELEASE: z.string() })')
  const get = (path: string) => new Request(`http://a.test${path}`)
  {
    await using bot = await rig.create({ env: { ...rig.env, BOT_CONTROL_TOKEN: 'a-token-of-the-control-room' } })
    expect((await bot.fetch(get('/livez'))).status).toBe(503)
    await bot.start()
    expect(await bodyOf(await bot.fetch(get('/livez')))).toEqual([200, { alive: true }])
    expect(await bodyOf(await bot.fetch(get('/readyz')))).toEqual([200, expect.objectContaining({ ready: true })])
    expect(await (await bot.fetch(get('/metrics'))).text()).toContain('botwright_')
    expect((await bot.fetch(get('/control/control.js'))).status).toBe(200)
    expect((await bot.fetch(get('/control/state'))).status).toBe(401)
  }
  expect(rig.lines.filter(({ msg }) => msg.includes('listening'))).toEqual([])
  await using bot = await rig.create({ ports: ['health'] })
  await bot.start()
  expect((await bot.fetch(get('/livez'))).status).toBe(404)
  const [url] = rig.logged('info').flatMap((line) => /^health endpoint listening on (.*)$/.exec(line)?.[1] ?? [])
  expect((await fetch(`${url}/livez`)).status).toBe(200)
})

test('a stop lets running handlers finish, and ends a start', slow, async () => {
  await using rig = await EmbedRig.start()
  await using bot = await rig.create()
  const starting = bot.start()
  await bot.stop()
  await expect(starting).rejects.toThrow('the bot was stopped while it started')
  await bot.start()
  const url = await rig.serve(bot.node)
  const answer = fetch(`${url}/slow`, { method: 'POST' })
  await rig.rig.until(async () => (await rig.rig.texts()).includes('begun'))
  const stopping = bot.stop()
  const again = bot.start()
  expect((await fetch(`${url}/status`)).status).toBe(503)
  writeFileSync(rig.env['RELEASE']!, '')
  expect(await (await answer).text()).toBe('finished')
  await stopping
  await again
  expect((await fetch(`${url}/status`)).status).toBe(200)
  await bot.stop()
})

test('a stop ends a start that waits for the end of an earlier one', slow, async () => {
  await using rig = await EmbedRig.start()
  await using bot = await rig.create()
  const ended = [bot.start(), bot.stop(), bot.start(), bot.start(), bot.stop()]
  const results = await Promise.allSettled(ended)
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect((await bot.fetch(new Request('http://a.test/status'))).status).toBe(503)
  await bot.start()
  expect((await bot.fetch(new Request('http://a.test/status'))).status).toBe(200)
})

test('a handler that ends or blocks its thread does not affect the program', slow, async () => {
  await using rig = await EmbedRig.start()
  await using bot = await rig.create()
  await bot.start()
  await rig.rig.says('ann', '/exit')
  await rig.rig.says('ann', '/ping')
  await rig.rig.until(async () => (await rig.rig.texts()).includes('pong'))
  await rig.rig.says('ann', '/block', 'random')
  const url = await rig.serve((_, res) => res.end('a page of the program'))
  expect(await (await fetch(url)).text()).toBe('a page of the program')
  await bot.stop({ graceMs: 0 })
})

test('several bots share a program, and each runs only once', slow, async () => {
  await using one = await EmbedRig.start()
  await using other = await EmbedRig.start()
  await using first = await one.create({ basePath: '/one' })
  await using second = await other.create({ basePath: '/two', threads: false })
  await Promise.all([first.start(), second.start()])
  const url = await one.serve((req, res) => first.node(req, res, () => second.node(req, res)))
  expect([(await fetch(`${url}/one/status`)).status, (await fetch(`${url}/two/status`)).status]).toEqual([200, 200])
  for (const { rig } of [one, other]) {
    await rig.says('ann', '/ping')
    await rig.until(async () => (await rig.texts()).includes('pong'))
  }
  const again = await one.create({ stateDir: ':memory:' })
  await expect(again.start()).rejects.toMatchObject({
    code: 'ERR_ALREADY_RUNNING',
    message: expect.stringContaining(`as process ${process.pid}`) as string,
  })
  expect((await again.fetch(new Request('http://a.test/status'))).status).toBe(503)
  await first.stop()
  await again.start()
  await again.stop()
})

test(
  'a logger such as pino gets facts and a message without secrets, and the threads print without them',
  slow,
  async () => {
    await using rig = await EmbedRig.start()
    const lines: [string, object, string][] = []
    const write = (level: string) => (facts: object, message: string) => void lines.push([level, facts, message])
    const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
    const { BOT_TOKEN: token, ...env } = rig.env
    await using bot = await rig.create({ env, log, token: token! })
    await bot.start()
    expect(lines.at(-1)).toEqual([
      'info',
      { username: 'helper', handlers: 7 },
      expect.stringContaining('helper is ready') as string,
    ])
    const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const printed = () => print.mock.calls.map(([text]) => String(text)).join('')
    await rig.rig.says('ann', '/leak')
    await rig.rig.until(() => printed().includes('the token is [secret]\n'))
    print.mockRestore()
    await bot.stop()
    await using wrong = await rig.create({ env, log, token: 'token-that-is-wrong' })
    await expect(wrong.start()).rejects.toMatchObject({ code: 'ERR_UNAUTHORIZED' })
    expect(JSON.stringify(lines)).not.toMatch(/token-that-is-wrong|token-of-worker/)
  },
)

test('errors name what to fix', async () => {
  await using rig = await EmbedRig.start()
  const { root } = rig.rig
  const thrown = (given: Promise<unknown>) =>
    given.catch(({ code, message }: { code: string; message: string }) => [code, message])
  expect(await thrown(rig.create({ basePath: 'bot' }))).toEqual([
    'ERR_CONFIG',
    'createBot: basePath is "bot"; it must begin with "/", such as "/bot"',
  ])
  expect(await thrown(createBot(`${root}/none`, { env: rig.env }))).toEqual([
    'ERR_CONFIG',
    `${root}/none/dist/botwright.json: there is no such file; run "framework build"`,
  ])
  expect(await thrown(rig.create({ env: {} }))).toEqual([
    'ERR_CONFIG',
    expect.stringMatching(/^BOT_TOKEN is not set.*\n.*BOT_BASE_URL is not set.*\n.*CHANNEL/) as string,
  ])
  expect(await thrown(rig.create({ env: { ...rig.env, LOG_LEVEL: 'loud' } }))).toEqual([
    'ERR_CONFIG',
    expect.stringContaining('LOG_LEVEL is "loud"') as string,
  ])
  writeFileSync(`${root}/.env`, `BOT_TOKEN=${rig.env['BOT_TOKEN']}\nCHANNEL=x\nRELEASE=y\n`)
  const { BOT_BASE_URL: baseUrl } = rig.env
  await using bot = await createBot(pathToFileURL(`${root}/dist/`), {
    baseUrl: baseUrl!,
    threads: false,
    log: () => {},
  })
  expect((await bot.start()).ready).toBe(true)
  expect(process.env['BOT_TOKEN']).toBeUndefined()
})
