import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openHttp } from './http-server.ts'
import { json } from './plain-request.ts'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

test.each([
  ['its head', 'POST / HTTP/1.1\r\nhost: x\r\n'],
  ['its body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nfew'],
])('a sender that sends %s slowly is closed', async (_, part) => {
  const server = await openHttp(
    { port: 0, host: '127.0.0.1' },
    {
      log,
      timeouts: { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20, keepAliveTimeout: 100 },
      answer: async ({ read }) => json(200, (await read(100))?.length),
    },
  )
  const socket = connect(server.port, '127.0.0.1')
  socket.write(part)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /)
  await server.close()
})

test('a fault is logged although the body was read, and a sender that goes away is none', async () => {
  const lines: string[] = []
  const began: (() => void)[] = []
  const server = await openHttp(
    { port: 0, host: '127.0.0.1' },
    {
      log: { ...log, error: (_: object, line: string) => void lines.push(line) },
      answer: async ({ read, path }) => {
        if (path === '/gone') began.shift()!()
        await read(100).finally(() => began.shift()?.())
        // By now, Node has destroyed the request.
        await new Promise((resolve) => setImmediate(resolve))
        throw new Error('the disk is full')
      },
    },
  )
  const response = await fetch(`http://127.0.0.1:${server.port}/hook`, { method: 'POST', body: 'x' })
  expect([response.status, await response.json()]).toEqual([500, { error: 'the bot could not answer this request' }])
  const reading = new Promise<void>((resolve) => began.push(resolve))
  const over = new Promise<void>((resolve) => began.push(resolve))
  const socket = connect(server.port, '127.0.0.1')
  socket.write('POST /gone HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nfew')
  await reading
  socket.destroy()
  await over
  await server.close()
  expect(lines).toEqual(['POST /hook could not be answered'])
})
