import { createHmac } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '@botwright/clock'
import { createEventReceiver, type BotEvent, type EventReceiverOptions, type EventServer } from '../index.ts'
import { receiverTimeouts } from './receiver.ts'
import { message, testFeed, turns } from './rig.test.fixture.ts'

const sign = (body: string | Buffer, secret = 'new') =>
  'sha256=' + createHmac('sha256', secret).update(body).digest('hex')
const bodyOf = (id: number, data: unknown = { channel_id: 'a' }) => JSON.stringify({ id, event: 'message', data })

let open: EventServer | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})

async function receive(options: Partial<EventReceiverOptions> = {}) {
  const offered: BotEvent[] = []
  const reports: string[] = []
  open = createEventReceiver({
    secrets: ['new', 'old'],
    botId: 'b',
    offer: async (event) => void offered.push(event),
    report: ({ code }) => void reports.push(code),
    ...options,
  })
  const { port } = await open.listen()
  const post = async (body: string | Buffer, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const signed = { 'x-service-bot': 'b', 'x-service-signature': sign(body), ...headers }
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: signed, ...init })
    await response.arrayBuffer()
    return response.status
  }
  /** Writes raw bytes and returns everything that comes back until the connection ends. */
  const raw = (text: string, more: (write: (chunk: string) => boolean) => void = () => {}) =>
    new Promise<string>((resolve) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(text)
        more((chunk) => socket.write(chunk))
      })
      socket.on('data', (chunk) => (answer += String(chunk)))
      socket.on('error', () => {}) // a connection that is cut ends in 'close'
      socket.on('close', () => resolve(answer))
    })
  return { port, post, raw, offered, reports }
}

describe('accepted requests', () => {
  it('accepts an event signed with either secret, and converts it to the polled shape [spec: decisions/20]', async () => {
    const t = await receive()
    const body = bodyOf(7, { channel_id: 'a', content: 'é😀' })
    expect(await t.post(body)).toBe(200)
    expect(await t.post(bodyOf(8), { 'x-service-signature': sign(bodyOf(8), 'old') })).toBe(200)
    expect(await t.post(body, { 'x-service-signature': sign(body).toUpperCase().replace('SHA', 'sha') })).toBe(200)
    expect(t.offered.map(({ id }) => id)).toEqual([7, 8, 7])
    expect(t.offered[0]).toMatchObject({ type: 'message', data: { channel_id: 'a', content: 'é😀' } })
    expect(Date.parse(t.offered[0]!.created_at)).toBeGreaterThan(0)
  })

  it('responds 401 unless the signature matches the exact bytes', async () => {
    const t = await receive()
    const body = bodyOf(7)
    const wrong: [string, Record<string, string>][] = [
      [body + ' ', { 'x-service-signature': sign(body) }],
      ['\uFEFF' + body, { 'x-service-signature': sign(body) }],
      [body.replace('7', '8'), { 'x-service-signature': sign(body) }],
      [body, { 'x-service-signature': sign(body, 'other') }],
      [body, { 'x-service-signature': sign(body, '').slice(0, -1) }],
      [body, { 'x-service-signature': '' }],
      [body, { 'x-service-signature': sign(body).slice(7) }],
      [body, { 'x-service-signature': sign(body).replace('sha256', 'sha1') }],
      [body, { 'x-service-signature': `${sign(body)}, ${sign(body)}` }],
      [body, { 'x-service-signature': sign(body).slice(0, -2) + 'zz' }],
    ]
    for (const [sent, headers] of wrong) expect(await t.post(sent, headers)).toBe(401)
    expect(t.offered).toEqual([])
    expect(t.reports).toEqual(['webhook_refused'])
    // Those that have a signature, of another secret or for other bytes.
    expect(open!.stats()).toMatchObject({ accepted: 0, wrongSecret: 4 })
    expect(await t.post(body)).toBe(200)
    expect(open!.stats().accepted).toBe(1)
    expect(open!.stats().lastAcceptedMs).toBeGreaterThanOrEqual(open!.stats().lastWrongSecretMs!)
    await t.post(body, { 'x-service-signature': sign(body, 'other'), 'x-service-bot': 'a scanner' })
    expect(open!.stats().wrongSecret).toBe(4)
    // `framework doctor` tries the secret without the name of a bot.
    const { lastAcceptedMs } = open!.stats()
    expect(await t.post('{}', { 'x-service-bot': '' })).toBe(400)
    expect(open!.stats()).toMatchObject({ accepted: 1, lastAcceptedMs: lastAcceptedMs! })
  })

  it.each([
    ['{bad'],
    ['null'],
    ['[]'],
    ['"text"'],
    [''],
    ['{}'],
    ['{"id":"7","event":"message","data":{}}'],
    ['{"id":NaN,"event":"message","data":{}}'],
    ['{"id":-1,"event":"message","data":{}}'],
    ['{"id":1.5,"event":"message","data":{}}'],
    ['{"id":1e400,"event":"message","data":{}}'],
    [`{"id":1,"event":"message","data":{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`],
    ['{"id":7,"data":{}}'],
    ['{"id":7,"event":"message","data":[]}'],
    ['['.repeat(100_000)],
    [Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])('answers signed nonsense with 400 (%#)', async (body) => {
    const t = await receive()
    expect(await t.post(body)).toBe(400)
    expect(t.offered).toEqual([])
    expect(await t.post(bodyOf(1))).toBe(200)
  })

  it('rejects another bot, method or path', async () => {
    const t = await receive({ path: '/hook' })
    const to = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${t.port}${path}`, init)
    expect((await to('/hook')).status).toBe(405)
    expect((await to('/hook')).headers.get('allow')).toBe('POST')
    const headers = { 'x-service-bot': 'b', 'x-service-signature': sign(bodyOf(1)) }
    expect((await to('/', { method: 'POST', body: bodyOf(1), headers })).status).toBe(404)
    expect((await to('/hook?x=1', { method: 'POST', body: bodyOf(1), headers })).status).toBe(200)
    const other = { ...headers, 'x-service-bot': 'c' }
    expect((await to('/hook', { method: 'POST', body: bodyOf(1), headers: other })).status).toBe(400)
  })

  it.each([[[]], [['']], [['good', '']]])('does not start with the secrets %j', (secrets) => {
    expect(() => createEventReceiver({ secrets, offer: async () => {}, report: () => {} })).toThrow(/secret/)
  })
})

it('does not listen on a port that is in use', async () => {
  const { port } = await receive()
  const other = createEventReceiver({ secrets: ['x'], offer: async () => {}, report: () => {}, port })
  await expect(other.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

describe('limits', () => {
  it('responds 413 to a body above 1 MiB, with a correct, missing or false content-length', async () => {
    const t = await receive()
    const exact = bodyOf(1, { pad: 'x'.repeat(1024 * 1024 - bodyOf(1, { pad: '' }).length) })
    expect(exact).toHaveLength(1024 * 1024)
    expect(await t.post(exact)).toBe(200)
    const head = `POST / HTTP/1.1\r\nHost: x\r\nX-Service-Signature: sha256=${'0'.repeat(64)}\r\n`
    expect(await t.raw(`${head}Content-Length: 314572800\r\n\r\n`)).toMatch(/^HTTP\/1.1 413/)
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`
    const flood = await t.raw(`${head}Transfer-Encoding: chunked\r\n\r\n`, (write) => {
      for (let n = 0; n < 20; n++) write(chunk)
    })
    // The response may be lost while the peer is still sending; check only that the connection closed.
    if (flood) expect(flood).toMatch(/^HTTP\/1.1 413/)
    expect(await t.post(bodyOf(2))).toBe(200)
  })

  it('does not read an unsigned body', async () => {
    const t = await receive()
    expect(await t.raw('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n')).toMatch(/^HTTP\/1.1 401/)
  })

  it('closes connections with slow headers or bodies within 10 s', async () => {
    const { headersMs, requestMs, checkMs } = receiverTimeouts
    expect(Math.max(headersMs, requestMs) + checkMs).toBeLessThan(10_000)
    // A tenth of the time.
    const timeouts = { headersMs: headersMs / 10, requestMs: requestMs / 10, checkMs: checkMs / 10 }
    const t = await receive({ timeouts })
    const head = `POST / HTTP/1.1\r\nHost: x\r\nX-Service-Signature: sha256=${'0'.repeat(64)}\r\nContent-Length: 100\r\n\r\n{`
    await Promise.all([t.raw('POST / HTTP/1.1\r\nHost'), t.raw(head), t.raw('')])
    expect(await t.post(bodyOf(2))).toBe(200)
  })

  it('passes its timeouts on to the server', async () => {
    const t = await receive()
    const servers: Server[] = []
    const onRequest = (message: unknown) => void servers.push((message as { server: Server }).server)
    subscribe('http.server.request.start', onRequest)
    try {
      expect(await t.post(bodyOf(1))).toBe(200)
    } finally {
      unsubscribe('http.server.request.start', onRequest)
    }
    const { headersMs, requestMs, checkMs } = receiverTimeouts
    const own = servers.find((server) => (server.address() as AddressInfo).port === t.port)
    expect(own).toMatchObject({
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    })
  })

  it('responds 503 within 2.5 s if the event cannot be stored', async () => {
    let hang = true
    let arrived = () => {}
    const hanging = new Promise<void>((resolve) => (arrived = resolve))
    const offer = () => (hang ? (arrived(), new Promise<void>(() => {})) : Promise.reject(new Error('disk full')))
    const clock = new VirtualClock()
    const t = await receive({ offer, clock })
    let status = 0
    const posting = t.post(bodyOf(1)).then((answer) => (status = answer))
    await hanging
    await clock.advance(2499)
    expect([status, t.reports]).toEqual([0, []])
    await clock.advance(1)
    expect(t.reports).toEqual(['receiver_failed'])
    await posting
    expect(status).toBe(503)
    hang = false
    expect(await t.post(bodyOf(1))).toBe(503)
    expect(t.reports).toEqual(['receiver_failed', 'receiver_failed'])
  })
})

describe('with a feed', () => {
  it('responds 200 once the event is in the journal, and runs a repeated request only once', async () => {
    const feed = testFeed({ delivery: 'webhook', start: 'now' })
    feed.source.add(message(5))
    feed.feed.start()
    await turns()
    const kept: boolean[] = []
    const t = await receive({
      offer: async (event) => {
        await feed.feed.offer(event)
        kept.push(
          feed.journal.bodies().some(({ id }) => id === event.id) || feed.journal.doneAboveCursor().has(event.id),
        )
      },
    })
    expect(await t.post(bodyOf(9))).toBe(200)
    expect(await t.post(bodyOf(9))).toBe(200)
    expect(await t.post(bodyOf(4))).toBe(200)
    await feed.feed.whenIdle()
    expect(kept[0]).toBe(true)
    expect(feed.ids()).toEqual([9])
    await feed.feed.stop({ graceMs: 0 })
    expect(await t.post(bodyOf(10))).toBe(503)
  })
})
