import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'

type Chat = Awaited<ReturnType<typeof startTest>>
let chat: Chat
beforeAll(async () => void (chat = await startTest({ controls: true })))
afterAll(() => chat.close())

/** Uses `node:http`, because `fetch` adds its own headers. */
const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
  new Promise<{ status: number; body: { error?: string }; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const asking = request(chat.service.url + path, { method, headers, agent: false }, (answer) => {
        let text = ''
        answer.on('data', (part: Buffer) => (text += part.toString()))
        answer.on('end', () => {
          const read = text.startsWith('{') ? (JSON.parse(text) as object) : {}
          resolve({ status: answer.statusCode!, body: read, headers: answer.headers })
        })
      })
      asking.on('error', reject)
      asking.end(body)
    },
  )

const json = { 'content-type': 'application/json' }

describe('requests of web pages', () => {
  const paths = ['/people/v1/sessions', '/people/v1/stream', '/controls/v1/journal', '/uploads/x.png']

  it.each(paths)('from other origins are refused at %s', async (path) => {
    for (const headers of [
      { origin: 'https://app.example' },
      { origin: 'null' },
      { origin: 'not a URL' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'http://localhost' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: chat.service.url },
    ]) {
      const answer = await send('GET', path, headers)
      expect([headers, answer.status, answer.body]).toEqual([
        headers,
        403,
        { error: expect.stringContaining('web page of another origin') },
      ])
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('from the same origin, and requests of programs, are allowed', async () => {
    const { port } = chat.service
    for (const headers of [
      {},
      { origin: chat.service.url, 'sec-fetch-site': 'same-origin' },
      { origin: `https://localhost:${port}`, host: `localhost:${port}` },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect((await send('GET', '/people/v1/sessions', headers)).status).toBe(200)
    }
  })

  it('get no preflight response, except on the bot interface and the channel webhooks', async () => {
    const asks = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    for (const path of ['/people/v1/sessions', '/controls/v1/reset']) {
      const answer = await send('OPTIONS', path, asks)
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined])
    }
    for (const path of ['/v1/me', '/webhooks/a/b', '/api/v10/webhooks/a/b']) {
      const answer = await send('OPTIONS', path, asks)
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([204, '*'])
    }
  })
})

describe('bodies of other types than JSON, which a page can send without a preflight', () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'application/jsonx',
  ]
  const body = '{"username":"mallory"}'

  it.each(types)('are refused: "%s"', async (type) => {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
    for (const path of ['/people/v1/sessions', '/controls/v1/reset', '/controls/v1/clock']) {
      const answer = await send('POST', path, headers, body)
      expect([path, answer.status, answer.body]).toEqual([
        path,
        400,
        { error: 'Content-Type: must be application/json' },
      ])
      const chunked = await send('POST', path, { ...headers, 'transfer-encoding': 'chunked' }, body)
      expect(chunked.status).toBe(400)
    }
    const { body: answer } = await chat.call('GET', '/people/v1/sessions')
    expect(JSON.stringify(answer)).not.toContain('mallory')
  })

  it('are read as JSON, whatever the parameters and case of the type', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await send('POST', '/people/v1/sessions', headers, '{"username":"dora"}')).status).toBe(200)
  })

  it('do not require a type for calls without a body', async () => {
    expect((await send('POST', '/controls/v1/reset', {})).status).toBe(200)
  })
})

describe('with a key', () => {
  let locked: Chat
  beforeAll(async () => void (locked = await startTest({ controls: true, key: true })))
  afterAll(() => locked.close())

  it('refuses calls without it: people, stream and controls', async () => {
    const { token } = locked.service.world.people['ann']!
    for (const key of [undefined, 'wrong', '']) {
      const headers: Record<string, string> = key === undefined ? {} : { 'x-service-key': key }
      for (const [method, path] of [
        ['GET', '/people/v1/sessions'],
        ['GET', '/people/v1/me'],
        ['GET', `/people/v1/stream?token=${token}`],
        ['POST', '/controls/v1/reset'],
      ] as const) {
        const answer = await locked.call(method, path, { headers, auth: `Person ${token}` })
        expect([path, answer.status, answer.body]).toEqual([
          path,
          401,
          { error: expect.stringContaining('X-Service-Key') },
        ])
      }
    }
  })

  it('accepts it in the header or, for the stream, in the URL', async () => {
    const key = locked.service.key!
    const answer = await locked.call('POST', '/people/v1/sessions', {
      headers: { ...json, 'x-service-key': key },
      body: { username: 'ann' },
    })
    expect(answer.status).toBe(200)
    const stream = await fetch(
      `${locked.service.url}/people/v1/stream?token=${(answer.body as { token: string }).token}&key=${key}`,
    )
    expect(stream.status).toBe(200)
    await stream.body!.cancel()
  })

  it('is not in the URL that the browser sends, and changes with each run', async () => {
    const page = new URL(locked.service.page)
    expect(page.hash).toBe(`#key=${locked.service.key}`)
    expect(page.href.replace(page.hash, '')).not.toContain(locked.service.key)
    await using other = await startTest({ key: true })
    expect(other.service.key).not.toBe(locked.service.key)
    expect(chat.service.key).toBeUndefined()
  })

  it('does not affect the bot interface', async () => {
    expect((await locked.bot('GET', '/me')).status).toBe(200)
  })
})
