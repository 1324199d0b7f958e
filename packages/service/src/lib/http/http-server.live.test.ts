import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpServer, listen } from './http-server.ts'

// The real server with short timeouts.
const times = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50, keepAliveTimeout: 300 }
const app = new Hono().all('*', async (context) => context.text(await context.req.text().catch(() => 'broken off')))
const server = createHttpServer(app, times)
let port: number
beforeAll(async () => void (port = await listen(server, 0, '127.0.0.1')))
afterAll(() => void server.close())

/** Sends some bytes, then nothing; resolves with the response once the service closes the connection. */
async function sendOnly(bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  if (bytes !== '') socket.write(bytes)
  await once(socket, 'end')
  socket.destroy()
  return text
}

describe('a connection is closed', () => {
  it.each([
    ['that never sends a byte', '', /^HTTP\/1\.1 408 .*too slow/s],
    ['that sends half of a head', 'GET / HTTP/1.1\r\nHost: x\r\n', /^HTTP\/1\.1 408 .*too slow/s],
    ['that sends half of a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf', /^HTTP\/1\.1 408 /],
    ['that sends nothing after the response', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 200 /],
  ])('%s', async (_, bytes, answer) => {
    expect(await sendOnly(bytes)).toMatch(answer)
  })
})

describe('an idle connection', () => {
  it('stays open for longer than clients and proxies keep theirs, so that the service is not the first to close it', async () => {
    const usual = createHttpServer(app)
    const { headers } = await fetch(`http://127.0.0.1:${await listen(usual, 0, '127.0.0.1')}/`)
    expect(headers.get('keep-alive')).toBe('timeout=65')
    await new Promise((resolve) => usual.close(resolve))
  })
})

describe('slow senders', () => {
  it('have 5 seconds for the head of a request, and 30 for all of it, checked every second', () => {
    expect(createHttpServer(app)).toMatchObject({
      headersTimeout: 5000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1000,
    })
  })

  it('do not delay valid requests: 100 are answered before the first of 60 slow connections is closed', async () => {
    // No time that a busy machine may need for the requests.
    const patient = createHttpServer(app, { ...times, headersTimeout: 600_000, requestTimeout: 600_000 })
    const port = await listen(patient, 0, '127.0.0.1')
    let closed = 0
    const sockets = Array.from({ length: 60 }, (_, index) => {
      const socket = connect(port, '127.0.0.1')
      if (index % 3 > 0) socket.write('GET /v1/me HTTP/1.1\r\nHost: localhost\r\n')
      return socket.on('close', () => closed++)
    })
    const connections = promisify(patient.getConnections.bind(patient))
    await expect.poll(connections, { interval: 5 }).toBe(60)
    for (let n = 0; n < 100; n++) expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
    expect(closed).toBe(0)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => patient.close(resolve))
  })

  it('are closed, 60 at a time, while valid requests succeed', async () => {
    // Time enough for the valid requests, also on a busy machine.
    const patient = createHttpServer(app, { ...times, headersTimeout: 2000, requestTimeout: 2500 })
    const port = await listen(patient, 0, '127.0.0.1')
    const closed: number[] = []
    const answers: string[] = []
    const slow = Array.from({ length: 60 }, async (_, index) => {
      const socket = connect(port, '127.0.0.1')
      socket.setEncoding('utf8').on('data', (text: string) => answers.push(text))
      socket.on('error', () => {})
      // A third sends nothing, a third a line now and then, a third all of the head except its end.
      if (index % 3 > 0) socket.write('GET /v1/me HTTP/1.1\r\nHost: localhost\r\n')
      const drip = setInterval(() => index % 3 === 1 && socket.write(`X-${Math.random()}: 1\r\n`), 30)
      await once(socket, 'close')
      clearInterval(drip)
      closed.push(index)
    })
    while (closed.length < slow.length) expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
    await Promise.all(slow)
    expect(answers.length).toBeGreaterThan(0)
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 .*too slow/s)
    await new Promise((resolve) => patient.close(resolve))
  })
})
