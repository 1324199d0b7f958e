import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { openHttp } from './http-server.ts'
import { json } from './plain-request.ts'
import { post, startBot, urlOf } from './route-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const respond = (run: string) => `export default route({ verify: false, respond: true, run: ${run} })`

test.each(['inline', 'worker'] as const)(
  'an error of 3 MB is cut before it is logged and stored (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const files = {
      'routes/job.ts': `export default route({
      verify: ({ headers }) => { if (headers.get('x-fails')) throw new Error('v'.repeat(3e6)); return true },
      run: () => { throw new Error('first ' + 'long '.repeat(6e5), { cause: new Error('c'.repeat(3e6)) }) },
    })`,
    }
    const bot = await startBot(rig, files, { dispatcher })
    expect((await post(rig, '/job', {}, { 'x-fails': '1' })).status).toBe(500)
    expect((await post(rig, '/job', {})).status).toBe(202)
    await rig.until(async () => (await bot.store.list('route:aside:')).length === 1)
    const errors = rig.lines.filter(({ level }) => level === 'error')
    expect(errors.map(({ message }) => message.slice(0, 60))).toEqual([
      expect.stringMatching(/job\.mjs:4: a request could not be checked: vv/),
      expect.stringMatching(/job\.mjs:5: first long long/),
      expect.stringMatching(/its request of /),
    ])
    for (const line of errors) expect(JSON.stringify(line).length).toBeLessThan(150_000)
    expect(JSON.stringify(await bot.store.list('route:aside:')).length).toBeLessThan(50_000)
    // The frames of the stack are kept.
    expect(errors[1]!.facts).toMatchObject({ stack: expect.stringMatching(/\n +at .*job\.mjs:5:\d+/) as string })
  },
)

test('a form of very many fields does not block the bot', slow, async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, { 'routes/form.ts': respond('({ body }) => Object.keys(body).length') }, { dispatcher: 'inline' })
  const fields = Array.from({ length: 200_000 }, (_, i) => i.toString(36))
  const response = await post(rig, '/form', fields.join('&'), { 'content-type': 'application/x-www-form-urlencoded' })
  expect(await response.text()).toBe('200000')
})

test('fields of a form and of JSON may have the names of properties', async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, { 'routes/any.ts': respond('({ body }) => Object.entries(body)') }, { dispatcher: 'inline' })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const entries = [
    ['__proto__', '1'],
    ['constructor', '2'],
  ]
  expect(await (await post(rig, '/any', '__proto__=1&constructor=2', form)).json()).toEqual(entries)
  expect(await (await post(rig, '/any', '{"__proto__":"1","constructor":"2"}')).json()).toEqual(entries)
})

test('an empty id identifies no request, and all of them run', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'routes/x.ts': `export default route({
      verify: false, id: header('x-id'), run: (ctx) => ctx.send(ctx.env.CHANNEL, 'ran ' + ctx.body.n),
    })`,
  }
  await startBot(rig, files, { dispatcher: 'inline' })
  for (const n of [1, 2]) expect((await post(rig, '/x', { n }, { 'x-id': '' })).status).toBe(202)
  await rig.until(async () => (await rig.texts()).length === 2)
  expect(await rig.texts()).toEqual(['ran 1', 'ran 2'])
})

test('a response is sent without headers that are about another connection', async () => {
  await using rig = await ChatRig.start()
  const packed = createServer((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('fetched')))
  await new Promise<void>((resolve) => packed.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(packed.address() as AddressInfo).port}`
  const headers = "{ 'transfer-encoding': 'chunked', 'keep-alive': 'timeout=99', 'x-own': 'yes' }"
  const files = {
    'routes/fetched.get.ts': respond(`() => fetch('${url}')`),
    'routes/chunked.get.ts': respond(`() => new Response('whole', { headers: ${headers} })`),
    'routes/same.get.ts': `const same = new Response('same')\n${respond('() => same')}`,
    'routes/reset.get.ts': respond('() => new Response(null, { status: 205 })'),
  }
  const bot = await startBot(rig, files, { dispatcher: 'inline' })
  const get = async (path: string) => (await fetch(urlOf(rig) + path)).text()
  expect(await get('/fetched')).toBe('fetched')
  const chunked = await fetch(`${urlOf(rig)}/chunked`)
  expect([chunked.headers.get('x-own'), await chunked.text()]).toEqual(['yes', 'whole'])
  expect([await get('/same'), await get('/same')]).toEqual(['same', 'same'])
  expect((await bot.fetch(new Request('http://bot/reset'))).status).toBe(205)
  packed.close()
})

test('a result that no response can contain is the error of its file', async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, { 'routes/x.get.ts': respond('() => () => 1') }, { dispatcher: 'inline' })
  expect((await fetch(`${urlOf(rig)}/x`)).status).toBe(500)
  expect(rig.logged('error')).toEqual([
    expect.stringMatching(/^routes\/x\.get\.ts.*: run returned a function; return a text, JSON or a Response$/),
  ])
})

test('requests that the bot has not checked yet count as waiting', async () => {
  await using rig = await ChatRig.start()
  const verify =
    '() => new Promise((resolve) => { globalThis.checks = (globalThis.checks ?? 0) + 1; globalThis.pass = resolve })'
  const files = { 'routes/x.ts': `export default route({ verify: ${verify}, run: () => {} })` }
  await startBot(rig, files, { dispatcher: 'inline', config: { limits: { waiting: 1 }, http: { port: 0 } } })
  const first = post(rig, '/x', {})
  await rig.until(() => 'pass' in globalThis)
  expect((await post(rig, '/x', {})).status).toBe(503)
  ;(globalThis as unknown as { pass: (isValid: boolean) => void }).pass(true)
  expect((await first).status).toBe(202)
})

test('fetch reads a body without a length no further than its limit', async () => {
  await using rig = await ChatRig.start()
  const files = { 'routes/x.ts': 'export default route({ verify: false, limit: 10, run: () => {} })' }
  const bot = await startBot(rig, files, { dispatcher: 'inline' })
  const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(8)) })
  const request = new Request('http://bot/x', { method: 'POST', body: endless, duplex: 'half' })
  expect((await bot.fetch(request)).status).toBe(413)
})

test('a stop closes each connection with its last answer', async () => {
  let begins!: () => void
  let frees!: () => void
  const hasBegun = new Promise<void>((resolve) => (begins = resolve))
  const isFree = new Promise<void>((resolve) => (frees = resolve))
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const answer = async () => {
    begins()
    await isFree
    return json(200, 'done')
  }
  const server = await openHttp({ port: 0, host: '127.0.0.1' }, { log, answer })
  const agent = new Agent({ keepAlive: true })
  const answered = new Promise<IncomingHttpHeaders>((resolve) => {
    httpRequest({ port: server.port, agent }, (res) => (res.resume(), resolve(res.headers))).end()
  })
  await hasBegun
  const closed = server.close()
  frees()
  expect((await answered).connection).toBe('close')
  await closed
  agent.destroy()
})

test('an error of the open server is logged, and it goes on', async () => {
  const errors: string[] = []
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_: object, text: string) => void errors.push(text),
  }
  const listen = vi.spyOn(Server.prototype, 'listen')
  const server = await openHttp({ port: 0, host: '127.0.0.1' }, { log, answer: async () => json(200, 'fine') })
  const inner = listen.mock.contexts.at(-1) as Server
  listen.mockRestore()
  for (let i = 0; i < 2; i++) inner.emit('error', new Error('accept EMFILE'))
  expect(errors).toEqual(['http: accept EMFILE', 'http: accept EMFILE'])
  expect((await fetch(`http://127.0.0.1:${server.port}`)).status).toBe(200)
  server.drop()
  await server.close()
})
