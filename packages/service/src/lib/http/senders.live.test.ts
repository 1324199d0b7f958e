import { connect } from 'node:net'
import { request } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => void (chat = await startTest()))
afterAll(() => chat.close())

/** Sends raw bytes; resolves with everything received until the service closes the connection. */
async function raw(...parts: string[]): Promise<string> {
  const socket = connect(chat.service.port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  // If the service gives up early, it resets the connection; later data is lost, as expected.
  socket.on('error', () => {})
  for (const part of parts) socket.write(part)
  await once(socket, 'close')
  return text
}

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { error: string }
const HEAD = 'PUT /v1/commands HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bot token-of-pollster\r\n'

describe('an invalid request', () => {
  it.each([
    ['not HTTP', 'GARBAGE\r\n\r\n', 400],
    ['two Content-Length headers', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`, 400],
    ['Content-Length with chunked encoding', `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`, 400],
    ['no Host', 'GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an empty Host', 'GET /v1/me HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 400],
    ['an invalid URL', 'GET // HTTP/1.1\r\nHost: local host\r\nConnection: close\r\n\r\n', 400],
    ['a head of 20 KB', `${HEAD}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('gets a response and is closed: %s', async (_, bytes, status) => {
    const answer = await raw(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(bodyOf(answer).error).toMatch(/\w/)
  })

  it('is refused for a foreign Host, whatever the path [spec: 7/403]', async () => {
    for (const [host, status] of [
      ['evil.example', 403],
      ['localhost.evil.example', 403],
      ['127.0.0.1.evil.example:80', 403],
      ['localhost:1', 200],
      ['127.0.0.1', 200],
      ['[::1]:7420', 200],
    ] as const) {
      const answer = await raw(`GET /people/v1/sessions HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect([host, answer.slice(9, 12)]).toEqual([host, String(status)])
    }
  })
})

describe('huge senders', () => {
  it('are refused by their Content-Length, before the body is read [spec: 7/400]', async () => {
    const answer = await raw(`${HEAD}Content-Length: 999999999999\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(bodyOf(answer).error).toContain('1048576')
  })

  it('are refused during an endless chunked body, and use no memory', async () => {
    const sending = request(`${chat.service.base_url}/commands`, {
      method: 'PUT',
      headers: { authorization: 'Bot token-of-pollster', 'transfer-encoding': 'chunked' },
    })
    sending.on('error', () => {})
    const chunk = Buffer.alloc(256 * 1024, 0x20)
    let ended = false
    sending.once('close', () => (ended = true))
    const answered = once(sending, 'response') as Promise<[{ statusCode: number; resume(): void }]>
    const send = async () => {
      while (!ended) {
        if (!sending.write(chunk)) await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const sent = send()
    const [answer] = await answered
    expect(answer.statusCode).toBe(413)
    answer.resume()
    await sent
  })
})
