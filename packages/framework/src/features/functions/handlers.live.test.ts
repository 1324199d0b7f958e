import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerFetch } from '@botwright/events/webhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { FunctionBot } from './bundled-bot.ts'
import { lambdaHandler } from './lambda-handler.ts'
import { nodeHandler } from './node-handler.ts'

/** A bot that reads at most 1000 bytes, and answers with what it got. */
const echo: FunctionBot & { runs: number } = {
  runs: 0,
  fetch: (received) =>
    answerFetch(received, async ({ method, path, query, headers, read }) => {
      const body = await read(1000)
      if (!body) return { status: 413, headers: {}, body: 'too long' }
      const { cookie } = headers
      const seen = JSON.stringify({ method, path, query, cookie, body: body.toString() })
      return { status: 200, headers: { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' }, body: seen }
    }),
  scheduled: async () => void echo.runs++,
}

async function serve(): Promise<{ port: number; idle: () => Promise<void>; errors: () => unknown[][] }> {
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  const handler = nodeHandler(echo, {})
  const server = createServer(handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    logged.mockRestore()
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { port, idle: () => handler.idle(), errors: () => logged.mock.calls }
}

/** The first line of the response to a request with these bytes. */
async function statusLine(port: number, bytes: string): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  const [line] = (await text(socket)).split('\r\n')
  return line
}

test('requests on Node with an invalid host or the method TRACE are refused, and not logged', async () => {
  const { port, errors } = await serve()
  const end = 'Connection: close\r\n\r\n'
  expect(await statusLine(port, `GET / HTTP/1.1\r\nHost: a b\r\n${end}`)).toBe('HTTP/1.1 400 Bad Request')
  expect(await statusLine(port, `TRACE / HTTP/1.1\r\nHost: a\r\n${end}`)).toBe('HTTP/1.1 400 Bad Request')
  expect(await statusLine(port, `GET / HTTP/1.1\r\nHost: a\r\n${end}`)).toBe('HTTP/1.1 200 OK')
  expect(errors()).toEqual([])
})

test('a body on Node that is too long gets its response, and one whose sender goes away is not logged', async () => {
  const { port, idle, errors } = await serve()
  const sending = request({ port, host: '127.0.0.1', method: 'POST' })
  // Chunked: its length is not known before it is read.
  sending.write('x'.repeat(100_000))
  const [response] = (await once(sending, 'response')) as [NodeJS.ReadableStream & { statusCode: number }]
  expect([response.statusCode, await text(response)]).toEqual([413, 'too long'])
  sending.destroy()
  const gone = connect(port, '127.0.0.1')
  gone.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx')
  await new Promise((resolve) => setTimeout(resolve, 100))
  gone.destroy()
  await once(gone, 'close')
  await new Promise((resolve) => setTimeout(resolve, 100))
  await idle()
  expect(errors()).toEqual([])
})

const http = { requestContext: { http: { method: 'POST' } }, rawPath: '/a', headers: { host: 'bot' } }

test('a request to Lambda has its cookies, and its response all of its own', async () => {
  const handler = lambdaHandler(echo, {})
  const response = await handler({ ...http, rawQueryString: 'q=1', cookies: ['x=1', 'y=2'], body: 'text' })
  expect(response).toMatchObject({ statusCode: 200, cookies: ['a=1', 'b=2'], headers: { 'x-one': '1' } })
  expect(response?.headers).not.toHaveProperty('set-cookie')
  const seen = { method: 'POST', path: '/a', query: 'q=1', cookie: 'x=1; y=2', body: 'text' }
  expect(JSON.parse(Buffer.from(response!.body, 'base64').toString())).toEqual(seen)
  // A GET has no body in the web.
  const get = { ...http, requestContext: { http: { method: 'GET' } }, body: 'text' }
  expect(await handler(get)).toMatchObject({ statusCode: 200 })
})

test('a request to Lambda in another format is not a scheduled run', async () => {
  const handler = lambdaHandler(echo, {})
  const old = { httpMethod: 'POST', path: '/', requestContext: { stage: 'prod' }, headers: {}, body: '{}' }
  const before = echo.runs
  await expect(handler(old)).rejects.toThrow(
    'the request has not the payload format 2.0: use a function URL, or an HTTP API with that format',
  )
  expect(echo.runs).toBe(before)
  expect(await handler({ source: 'aws.events' })).toBeUndefined()
  expect(echo.runs).toBe(before + 1)
})
