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
