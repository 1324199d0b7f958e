/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { type Endpoint, endpoints, limits } from '@botwright/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request } from 'node:http'
import { expectOk, expectRefused, type Spec, startSpec, unknown } from './rig.test.fixture.ts'

let chat: Spec
beforeAll(async () => void (chat = await startSpec()))
afterAll(() => chat.close())

const table: [string, Endpoint][] = Object.entries(endpoints).flatMap(([group, entries]) =>
  Object.entries<Endpoint>(entries).map(([name, entry]): [string, Endpoint] => [`${group}.${name}`, entry]),
)
/** The path of an entry with names filled in; missing names become an unused id. */
const filled = (path: string, names: Record<string, string> = {}) =>
  `/v1${path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? (name === 'emoji' ? '%F0%9F%91%8D' : unknown))}`
const withToken = table.filter(([, entry]) => entry.auth === 'bot')
const raw = (path: string, options: { body?: string | Buffer; headers?: Record<string, string>; chunked?: boolean }) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { port } = chat.service
    const sent = request({ host: '127.0.0.1', port, method: 'PUT', path, headers: options.headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part: string) => (body += part))
      answer.on('end', () => resolve({ status: answer.statusCode!, body }))
    })
    sent.on('error', reject)
    if (options.chunked && options.body)
      for (let i = 0; i < options.body.length; i += 65_536) sent.write(options.body.slice(i, i + 65_536))
    sent.end(options.chunked ? undefined : options.body)
  })
const json = { 'content-type': 'application/json', authorization: 'Bot token-of-pollster' }

describe('401', () => {
  it.each([
    [undefined, 'missing token'],
    ['', 'Authorization: Bot <token>'],
    ['Bot', 'Authorization: Bot <token>'],
    ['Bot ', 'Authorization: Bot <token>'],
    ['token-of-pollster', 'Authorization: Bot <token>'],
    ['Bearer token-of-pollster', 'Authorization: Bot <token>'],
    ['Person token-of-pollster', 'Authorization: Bot <token>'],
    ['Bot token-of-pollster x', 'Authorization: Bot <token>'],
    ['Bot token-of-polls', 'wrong token'],
    ['Bot TOKEN-OF-POLLSTER', 'wrong token'],
  ])('for the header %j [spec: 7/401]', async (auth, text) => {
    const answer = await chat.call('GET', '/v1/me', auth === undefined ? {} : { auth })
    expectRefused(answer, 401, text)
    expect(JSON.stringify(answer.body)).not.toMatch(/polls/i)
  })

  it.each(withToken)('%s: takes precedence over other errors [spec: 7/401]', async (_, { method, path }) => {
    expectRefused(await chat.call(method, filled(path), { auth: 'Bot wrong' }), 401, 'wrong token')
    expectRefused(await chat.call(method, filled(path, { server_id: 'x', channel_id: 'x' })), 401, 'missing token')
  })

  it("for a person's token on the bot interface, and vice versa [spec: 7/401]", async () => {
    const { token } = chat.service.world.people['ann']!
    expectRefused(await chat.call('GET', '/v1/me', { auth: `Bot ${token}` }), 401, 'wrong token')
    expectRefused(await chat.call('GET', '/people/v1/me', { auth: 'Person token-of-pollster' }), 401, 'wrong token')
  })

  it('for an old token, as soon as there is a new one (§5) [spec: 7/401]', async () => {
    await using other = await startSpec()
    const { token } = (await other.person('ann', 'POST', `/bots/${other.botId}/token`)).body as { token: string }
    expectRefused(await other.bot('GET', '/me'), 401, 'wrong token')
    expect((await other.bot('GET', '/me', undefined, token)).status).toBe(200)
    expect((await other.helper('GET', '/me')).status).toBe(200)
  })
})

describe('403 and 404', () => {
  const inServer = withToken.filter(([, { path }]) => path.includes('{server_id}'))
  const inChannel = withToken.filter(([, { path }]) => path.includes('{channel_id}'))
  const auth = 'Bot token-of-pollster'

  it.each(inServer)(
    '%s: 403 for a server that the bot is not in, 404 for an unknown one, 400 for an invalid id [spec: 7/403, 7/404, 7/400]',
    async (_, { method, path }) => {
      const stranger = { auth: 'Bot token-of-stranger', body: {} }
      const call = (server_id: string, options: object) =>
        chat.call(method, filled(path, { server_id }), method === 'GET' ? { ...options, body: undefined } : options)
      expectRefused(await call(chat.workshop.id, stranger), 403, 'not in that server')
      expectRefused(await call(unknown, { auth, body: {} }), 404, 'server not found')
      expectRefused(await call('5', { auth, body: {} }), 400, 'server_id: must be a UUID')
    },
  )

  it.each(inChannel)(
    '%s: 404 for a private or unknown channel, 403 for a server that the bot is not in [spec: 7/403, 7/404, 7/400]',
    async (_, { method, path }) => {
      const call = (channel_id: string, options: object) =>
        chat.call(method, filled(path, { channel_id }), method === 'GET' ? { ...options, body: undefined } : options)
      const { staff, general } = chat.workshop.channels as { staff: string; general: string }
      expectRefused(await call(staff, { auth, body: {} }), 404, 'channel not found')
      expectRefused(await call(unknown, { auth, body: {} }), 404, 'channel not found')
      expectRefused(await call(general, { auth: 'Bot token-of-stranger', body: {} }), 403, 'not in that server')
      expectRefused(await call('x', { auth, body: {} }), 400, 'channel_id: must be a UUID')
    },
  )

  it.each(withToken.filter(([, entry]) => entry.permission && !entry.permissionFor))(
    '%s: 403 without the permission, which the text names [spec: 7/403]',
    async (_, { method, path, permission }) => {
      const names = { server_id: chat.workshop.id, channel_id: chat.workshop.channels['general']! }
      const answer = await chat.call(method, filled(path, names), { auth, ...(method !== 'GET' && { body: {} }) })
      expectRefused(answer, 403, permission!)
    },
  )
})

describe('paths and methods', () => {
  it.each(['/v1', '/v1/', '/v1/nothing', '/v1/me/', '/v1/ME', '/v2/me', '/v1/servers//roles', '/v1/me/avatar/x'])(
    '%s does not exist: 404 [spec: decisions/29, 7/404]',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expectRefused(await chat.call(method, path, { auth: 'Bot token-of-pollster' }), 404, 'no such path')
      }
    },
  )

  const paths = [...new Set(table.map(([, { path }]) => path))]
  it.each(paths)('%s: 405 with Allow for every other method [spec: decisions/29]', async (path) => {
    // `bulk-delete` also matches the path of a message id, so the methods of that path are allowed, too.
    const fits = (other: string) => new RegExp(`^${other.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
    const own = [...new Set(table.filter(([, entry]) => fits(entry.path)).map(([, { method }]) => method))]
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      if (own.includes(method)) continue
      const answer = await chat.call(method, filled(path), { auth: 'Bot token-of-pollster' })
      expectRefused(answer, 405, 'not allowed here')
      expect(answer.headers.get('allow')).toBe([...own].sort().join(', '))
    }
  })
})

describe('bodies', () => {
  it.each(withToken.filter(([, { body }]) => body))(
    '%s: a body that is not JSON is 400 [spec: decisions/30, 7/400]',
    async (_, { method, path }) => {
      const names = {
        server_id: chat.workshop.id,
        channel_id: chat.workshop.channels['general']!,
        category_id: chat.category('Talk'),
        user_id: chat.userId('bob'),
      }
      const made = (await chat.helper('POST', chat.messages(), { content: 'x' })).body as { id: string }
      const at = filled(path, { ...names, message_id: made.id })
      for (const text of ['', '{', 'content=x', '{"a":1,}', "{'a':1}", 'NaN']) {
        expectRefused(await chat.call(method, at, { auth: 'Bot token-of-helper', raw: text }), 400, 'JSON')
      }
      for (const text of ['[]', '5', 'null', '"x"', 'true']) {
        expectRefused(await chat.call(method, at, { auth: 'Bot token-of-helper', raw: text }), 400, 'object')
      }
    },
  )

  it('with invalid UTF-8 are 400 [spec: decisions/30]', async () => {
    const body = Buffer.concat([Buffer.from('{"commands":[],"x":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    expect(await raw('/v1/commands', { body, headers: json })).toEqual({
      status: 400,
      body: '{"error":"the body is not JSON"}',
    })
  })

  it.each([false, true])(
    'of 1 MiB are accepted, one more byte is 413 (chunked: %s) [spec: decisions/30, decisions/45]',
    async (chunked) => {
      const frame = '{"commands":[],"x":""}'
      const sized = (bytes: number) => frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
      const mib = 1024 * 1024
      for (const bytes of [mib - 1, mib]) {
        expect(await raw('/v1/commands', { body: sized(bytes), headers: json, chunked })).toEqual({
          status: 200,
          body: '{"ok":true,"commands":[]}',
        })
      }
      const refused = await raw('/v1/commands', { body: sized(mib + 1), headers: json, chunked })
      expect(refused.status).toBe(413)
      expect(JSON.parse(refused.body)).toEqual({ error: expect.stringContaining(String(mib)) })
      expect((await chat.bot('GET', '/me')).status).toBe(200)
    },
  )

  it('are read whatever their Content-Type [spec: decisions/30]', async () => {
    const headers = { 'content-type': 'text/plain' }
    expectOk(await chat.call('PUT', '/v1/commands', { auth: json.authorization, raw: '{"commands":[]}', headers }), {
      ok: true,
      commands: [],
    })
  })

  it('report up to five errors, and never values [spec: 7/400]', async () => {
    const secret = 'a-secret-value'
    const bad = Array.from({ length: limits.commands.max }, () => ({ name: `${secret} ${secret}`, description: 5 }))
    const { body } = await chat.bot('PUT', '/commands', { commands: bad })
    expect(body.error).toMatch(/^commands\[0\]\.name: .*; commands\[0\]\.description: .*; and \d+ more$/)
    expect(body.error).not.toContain(secret)
  })
})

describe('CORS and Host', () => {
  it('allow any origin, with named headers and without credentials [spec: decisions/48]', async () => {
    const asked = await chat.call('OPTIONS', '/v1/channels/x/messages', {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization',
      },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe('*')
    const allowed = asked.headers.get('access-control-allow-headers')!.toLowerCase().split(/, */)
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type']))
    expect(allowed).not.toContain('*')
    expect(asked.headers.get('access-control-allow-methods')!.split(/, */)).toEqual(
      expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    )
    expect(asked.headers.has('access-control-allow-credentials')).toBe(false)
    for (const auth of [json.authorization, 'Bot wrong']) {
      const answer = await chat.call('GET', '/v1/me', { auth, headers: { origin: 'https://app.example' } })
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('access-control-expose-headers')).toMatch(/retry-after/i)
      expect(answer.headers.has('set-cookie')).toBe(false)
    }
  })

  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example'])(
    'a Host of %s is 403 [spec: decisions/49]',
    async (host) => {
      const answer = await raw('/v1/commands', { headers: { ...json, host }, body: '{"commands":[]}' })
      expect([answer.status, JSON.parse(answer.body)]).toEqual([403, { error: expect.stringContaining('Host') }])
    },
  )

  it.each(['localhost', 'localhost:1', '127.0.0.1', '[::1]:80'])(
    'a Host of %s is this machine [spec: decisions/49]',
    async (host) => {
      expect((await raw('/v1/commands', { headers: { ...json, host }, body: '{"commands":[]}' })).status).toBe(200)
    },
  )
})
