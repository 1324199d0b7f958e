import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { answerFetch, BodyAlreadyRead, requestOf } from './http-exchange.ts'

/** Sends a request without its whole body. */
async function received(head: string) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const request = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write(`POST /a?b=c HTTP/1.1\r\nhost: x\r\n${head}`)
  const [req] = await request
  return {
    req,
    socket,
    [Symbol.asyncDispose]: async () => void server.close(() => socket.destroy()).closeAllConnections(),
  }
}

test('a body whose sender goes away rejects, before and while it is read', async () => {
  await using one = await received('content-length: 9\r\n\r\nfew')
  const request = requestOf(one.req)
  expect(request).toMatchObject({ method: 'POST', path: '/a', query: 'b=c', address: '127.0.0.1' })
  const reading = request.read(100)
  one.socket.destroy()
  await expect(reading).rejects.toThrow()
  await expect(request.read(100)).rejects.toThrow()
  await using other = await received('content-length: 9\r\n\r\n')
  other.socket.destroy()
  await new Promise((resolve) => other.req.once('close', resolve))
  await expect(requestOf(other.req).read(100)).rejects.toThrow('the sender went away')
})

test('a body is read once, and only up to its limit', async () => {
  await using one = await received('content-length: 3\r\n\r\nall')
  expect(String(await requestOf(one.req).read(3))).toBe('all')
  await expect(requestOf(one.req).read(3)).rejects.toThrow(BodyAlreadyRead)
  await using long = await received('transfer-encoding: chunked\r\n\r\n4\r\nlong\r\n')
  expect(await requestOf(long.req).read(3)).toBeUndefined()
  await using empty = await received('content-length: 0\r\n\r\n')
  expect(String(await requestOf(empty.req).read(3))).toBe('')
  expect(String(await requestOf(empty.req).read(3))).toBe('')
})

test('a Response has each value of a header, and no body for HEAD', async () => {
  const answer = async () => ({ status: 200, headers: { 'set-cookie': ['a=1', 'b=2'] }, body: 'text' })
  const response = await answerFetch(new Request('http://a.test/', { method: 'HEAD' }), answer)
  expect([response.headers.getSetCookie(), await response.text()]).toEqual([['a=1', 'b=2'], ''])
})

test('the body of a Request is read once, and only up to its limit, whatever its headers claim', async () => {
  const readings: (string | undefined)[] = []
  const read = async (headers: Record<string, string>, most: number) => {
    const request = new Request('http://a.test/', { method: 'POST', body: 'long', headers })
    await answerFetch(request, async ({ read: readBody }) => {
      readings.push((await readBody(most))?.toString())
      await expect(readBody(most)).rejects.toThrow(BodyAlreadyRead)
      return { status: 200, headers: {}, body: '' }
    })
  }
  for (const headers of [{}, { 'content-length': '3' }, { 'content-length': '3', 'content-encoding': 'gzip' }]) {
    await read(headers, 3)
    await read(headers, 4)
  }
  expect(readings).toEqual([undefined, 'long', undefined, 'long', undefined, 'long'])
})
