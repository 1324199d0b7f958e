import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { signed, startBot, post, urlOf } from './route-rig.test.fixture.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const reference = expect.stringMatching(/^\w{4}$/) as string

const files = {
  'routes/github.ts': `export default route({
    verify: hmac({ header: 'x-hub-signature-256', secret: 'GITHUB_SECRET' }),
    body: z.object({ release: z.object({ name: z.string() }) }),
    limit: 200,
    run: (ctx) => ctx.send(ctx.env.CHANNEL, ctx.body.release.name),
  })`,
  'routes/[team]/deploy.put.ts': `export default route('/[team]/deploy', {
    verify: bearer('GITHUB_SECRET'),
    respond: true,
    run: (ctx) => ({ team: ctx.params.team, by: ctx.query.get('by'), body: ctx.body }),
  })`,
  'routes/ops/deploy.put.ts': `export default route({ verify: false, respond: true, run: () => 'the fixed path' })`,
  'routes/status.get.ts': `export default route({ verify: false, respond: true, run: (ctx) => new Response('<p>up', { status: 203, headers: [['content-type', 'text/html'], ['x-by', ctx.method], ['set-cookie', 'a=1'], ['set-cookie', 'b=2']] }) })`,
  'routes/broken.get.ts': `export default route({ verify: false, respond: true, run: () => { throw new Error('a secret of mine') } })`,
  'routes/nothing.post.ts': `export default route({ verify: false, respond: true, run: () => undefined })`,
  'routes/raw.ts': `export default route({ verify: false, respond: true, body: 'bytes', run: (ctx) => String(ctx.body.length) })`,
  'routes/text.ts': `export default route({ verify: false, respond: true, body: 'text', run: (ctx) => ctx.body.toUpperCase() })`,
  'routes/any.ts': `export default route({ verify: false, respond: true, run: (ctx) => ctx.body })`,
  'routes/own.ts': `export default route({
    verify: ({ headers, body, env }) => headers.get('x-key') === env.GITHUB_SECRET && body.length > 0,
    respond: true, run: () => 'in',
  })`,
}

test('each invalid request gets its status, in JSON, and nothing of it runs or is logged', async () => {
  await using rig = await ChatRig.start()
  const bot = await startBot(rig, files, { dispatcher: 'inline' })
  const body = { release: { name: 'v1' } }
  const answer = async (response: Promise<Response>) => {
    const { status, headers } = await response
    return [status, headers.get('allow'), await (await response).json()]
  }
  const unsigned = { error: 'the signature or the token of this request is missing or wrong' }
  expect(await answer(post(rig, '/github', body))).toEqual([401, null, unsigned])
  expect(await answer(post(rig, '/github', body, { 'x-hub-signature-256': 'sha256=00' }))).toEqual([
    401,
    null,
    unsigned,
  ])
  expect(await answer(post(rig, '/github', body, signed({ other: 1 })))).toEqual([401, null, unsigned])
  expect(await answer(post(rig, '/githu', body))).toEqual([404, null, { error: 'there is no such route' }])
  expect(await answer(fetch(`${urlOf(rig)}/github`))).toEqual([405, 'POST', { error: 'the method must be POST' }])
  const long = { release: { name: 'x'.repeat(300) } }
  const tooLong = { error: 'the body must not be longer than 200 bytes' }
  expect(await answer(post(rig, '/github', long, signed(long)))).toEqual([413, null, tooLong])
  const form = { ...signed(body), 'content-type': 'text/plain' }
  const error = 'the content type must be application/json or application/x-www-form-urlencoded'
  expect(await answer(post(rig, '/github', body, form))).toEqual([415, null, { error }])
  expect(await answer(post(rig, '/any', '{"a":'))).toEqual([400, null, { error: 'the body is not JSON' }])
  const wrong = { release: { name: 7, token: 'a-token-in-the-body' } }
  expect(await answer(post(rig, '/github', wrong, signed(wrong)))).toEqual([
    422,
    null,
    {
      error: 'the body is not valid',
      issues: [{ path: ['release', 'name'], message: 'Invalid input: expected string, received number' }],
    },
  ])
  expect(await bot.store.list('route:')).toEqual([])
  expect([...rig.logged('warn'), ...rig.logged('error')]).toEqual([])
})

test('respond: true answers with a text, JSON, a Response or nothing', async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, files, { dispatcher: 'inline' })
  const put = (path: string, token: string) =>
    fetch(urlOf(rig) + path, {
      method: 'PUT',
      body: 'a=1&b=2&a=3',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${token}` },
    })
  expect((await put('/red/deploy', 'wrong')).status).toBe(401)
  expect(await (await put('/red%20team/deploy?by=ann', 'a-secret-of-github')).json()).toEqual({
    team: 'red team',
    by: 'ann',
    body: { a: ['1', '3'], b: '2' },
  })
  expect(await (await put('/ops/deploy', '')).text()).toBe('the fixed path')
  const page = await fetch(`${urlOf(rig)}/status`)
  expect([page.status, page.headers.get('content-type'), page.headers.get('x-by'), await page.text()]).toEqual([
    203,
    'text/html',
    'GET',
    '<p>up',
  ])
  expect(page.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  const nothing = await post(rig, '/nothing', {})
  expect([nothing.status, await nothing.text()]).toEqual([204, ''])
  expect(await (await post(rig, '/raw', 'äbc', { 'content-type': 'image/png' })).text()).toBe('4')
  expect(await (await post(rig, '/text', 'abc', { 'content-type': 'text/csv' })).text()).toBe('ABC')
  expect(await (await post(rig, '/own', {}, { 'x-key': 'a-secret-of-github' })).text()).toBe('in')
  expect((await post(rig, '/own', {})).status).toBe(401)
  expect(rig.logged('error')).toEqual([])
  const broken = await fetch(`${urlOf(rig)}/broken`)
  expect([broken.status, await broken.json()]).toEqual([500, { error: 'the route failed', reference }])
  expect(rig.logged('error')).toEqual([expect.stringMatching(/broken\.get\.mjs:\d+: a secret of mine$/)])
})

test('the sender of a body that is too long without a length is cut off', async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, files, { dispatcher: 'inline' })
  const { hostname, port } = new URL(urlOf(rig))
  const socket = connect(Number(port), hostname)
  socket.write('POST /github HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
  socket.write(`${(400).toString(16)}\r\n${'x'.repeat(400)}\r\n`)
  expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 413 .*connection: close\r\n/is)
})

test('a check that throws is answered with 500, and nothing is stored', async () => {
  await using rig = await ChatRig.start()
  const bot = await startBot(
    rig,
    { 'routes/x.ts': "export default route({ verify: () => { throw new Error('no key file') }, run: () => {} })" },
    { dispatcher: 'inline' },
  )
  const response = await post(rig, '/x', {})
  expect([response.status, await response.json()]).toEqual([500, { error: 'the route failed', reference }])
  expect(rig.logged('error')).toEqual([
    expect.stringMatching(/^build-1\/routes\/x\.mjs:\d+: a request could not be checked: no key file$/),
  ])
  expect(await bot.store.list('route:')).toEqual([])
})

test('a waiting request is stored without credentials, and there is a limit for their number', async () => {
  await using rig = await ChatRig.start()
  const bot = await startBot(
    rig,
    {
      'routes/x.ts': `export default route({
        verify: hmac({ header: 'x-hub-signature-256', secret: 'GITHUB_SECRET' }),
        run: () => new Promise(() => {}),
      })`,
    },
    { dispatcher: 'inline', config: { limits: { waiting: 2 }, http: { port: 0 } } },
  )
  const send = (n: number) => post(rig, '/x', { n }, { ...signed({ n }), cookie: 'a=b', 'x-kept': 'yes' })
  expect([(await send(1)).status, (await send(2)).status]).toEqual([202, 202])
  const third = await send(3)
  expect([third.status, third.headers.get('retry-after')]).toEqual([503, '10'])
  const rows = await bot.store.list('route:row:')
  expect(rows).toMatchObject([
    { value: { request: { text: '{"n":1}', headers: { 'x-kept': 'yes' } } } },
    { value: { request: { text: '{"n":2}' }, state: 'waiting' } },
  ])
  expect(JSON.stringify(rows)).not.toMatch(/sha256=|a=b/)
})

test('a bot whose secret is not set does not start', slow, async () => {
  await using rig = await ChatRig.start()
  const start = startBot(rig, { 'routes/x.ts': "export default route({ verify: bearer('OTHER'), run: () => {} })" })
  await expect(start).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: 'routes/x.ts: OTHER is not set: declare it in env of bot.config.ts, and set the variable',
  })
})

test('a bot whose secret consists of spaces does not start', slow, async () => {
  await using rig = await ChatRig.start()
  const files = { 'routes/x.ts': "export default route({ verify: bearer('CHANNEL'), run: () => {} })" }
  const start = startBot(rig, files, { variables: { CHANNEL: '  ' } })
  await expect(start).rejects.toThrow('routes/x.ts: CHANNEL is not set: ')
})

test('a bot whose bearer token contains a space does not start', async () => {
  await using rig = await ChatRig.start()
  const start = (verify: string) =>
    startBot(
      rig,
      { 'routes/x.ts': `export default route({ verify: ${verify}, run: () => {} })` },
      { dispatcher: 'inline', variables: { CHANNEL: 'two words' } },
    )
  await expect(start("bearer('CHANNEL')")).rejects.toThrow(
    'routes/x.ts: CHANNEL contains a space, so that no request passes bearer: set it to a token without spaces',
  )
  await start("hmac({ header: 'x-signature', secret: 'CHANNEL' })")
})

test('a compressed body is refused, unless the route reads the bytes itself', async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, files, { dispatcher: 'inline' })
  const headers = { 'content-encoding': 'gzip' }
  for (const path of ['/any', '/text']) {
    const response = await post(rig, path, '\x1f\x8b', headers)
    const error = 'the body must not be compressed: send it without content-encoding'
    expect([response.status, await response.json()]).toEqual([415, { error }])
  }
  expect(await (await post(rig, '/raw', 'abc', headers)).text()).toBe('3')
  expect((await post(rig, '/any', {}, { 'content-encoding': 'identity' })).status).toBe(200)
})

test('the port that another program uses is named, with the setting', slow, async () => {
  await using rig = await ChatRig.start()
  const port = Number(new URL(rig.service.url).port)
  const start = startBot(rig, files, { config: { http: { port } } })
  await expect(start).rejects.toThrow(
    `http: port ${port} of 127.0.0.1 is in use by another program; choose another in bot.config.ts (http) or BOT_HTTP_PORT`,
  )
})

test('new code changes the routes of a running bot', { tags: ['all/real-time'] }, async () => {
  await using rig = await ChatRig.start()
  const bot = await startBot(rig, { 'commands/ping.ts': "export default () => 'pong'" })
  const request = () => new Request('http://bot/hello', { method: 'POST' })
  expect((await bot.fetch(request())).status).toBe(404)
  const hello = (text: string) => ({
    'routes/hello.ts': `import { route } from '${new URL('../../../dist/index.js', import.meta.url).href}'
      export default route({ verify: false, respond: true, run: () => '${text}' })`,
  })
  await bot.replace(rig.source(hello('one')))
  expect(await (await bot.fetch(request())).text()).toBe('one')
  await bot.replace(rig.source(hello('two')))
  expect(await (await bot.fetch(request())).text()).toBe('two')
  const hidden = hello('three')['routes/hello.ts'].replace('verify: false', "verify: { by: 'bearer', secret: 'OTHER' }")
  await bot.replace(rig.source({ 'routes/hello.ts': hidden }))
  expect((await bot.fetch(request())).status).toBe(500)
  expect(rig.logged('error')[0]).toMatch(/^routes\/hello\.ts: OTHER is not set: /)
})
