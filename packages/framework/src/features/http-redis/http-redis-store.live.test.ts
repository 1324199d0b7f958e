import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { httpRedisStore } from './http-redis-store.ts'

/** The error of a store whose server answers so, and how many requests it got. */
async function errorOf(answer: RequestListener): Promise<{ message: string; requests: number }> {
  let requests = 0
  const server = createServer((req, res) => {
    requests++
    answer(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const error = await httpRedisStore({ url, token: 'token-of-redis' })
      .get('key')
      .catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'ERR_STATE' })
    return { message: (error as Error).message, requests }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const noApi = 'is not that of a Redis REST API: check the url'

test('an answer of another program, or none, is an error with the reason', async () => {
  const at = 'Redis over HTTP: '
  expect(await errorOf((_, res) => res.end('<html>Log in</html>'))).toEqual({
    message: `${at}HTTP 200, and the response ${noApi}`,
    requests: 1,
  })
  for (const text of ['null', '[{"result":null}]', '"OK"'])
    expect((await errorOf((_, res) => res.end(text))).message).toBe(`${at}HTTP 200, and the response ${noApi}`)
  // The token must not follow a redirect.
  expect(await errorOf((_, res) => res.writeHead(307, { location: '/' }).end())).toEqual({
    message: `${at}HTTP 307, and the response ${noApi}`,
    requests: 1,
  })
  const limited = '{"error":"ERR max requests limit exceeded. Limit: 10000"}'
  expect(await errorOf((_, res) => res.writeHead(429).end(limited))).toEqual({
    message: `${at}HTTP 429: ERR max requests limit exceeded. Limit: 10000`,
    requests: 1,
  })
  expect(await errorOf((_, res) => res.writeHead(500).end('{"error":"ERR oops"}'))).toEqual({
    message: `${at}HTTP 500: ERR oops`,
    requests: 2,
  })
  expect(await errorOf((_, res) => res.destroy())).toEqual({
    message: `${at}no response (UND_ERR_SOCKET)`,
    requests: 2,
  })
  await expect(httpRedisStore({ url: 'http://127.0.0.1:9', token: 'a' }).get('key')).rejects.toThrow(
    `${at}no response (bad port)`,
  )
})

test('a token or a password that no request can carry is refused, and not part of the error', () => {
  const url = 'http://127.0.0.1:9'
  const refusal = (options: { url: string; token: string }): string => {
    try {
      httpRedisStore(options)
      return 'not refused'
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(refusal({ url, token: 'SECRET\nPART' })).toBe(
    'httpRedisStore: token has a space or a character that no token has; copy that of the REST API again',
  )
  expect(refusal({ url, token: 'SECRET…' })).toContain('token has a space or a character that no token has')
  expect(refusal({ url: 'https://default:SECRET@127.0.0.1:9', token: 'token' })).toBe(
    'httpRedisStore: url has a user or a password; remove them, and pass the token of the REST API',
  )
  // A line break at its end comes from a file or a terminal.
  expect(refusal({ url, token: 'token-of-redis\n' })).toBe('not refused')
  expect(refusal({ url, token: ' \n' })).toContain('token is empty')
  // `process.env.TOKEN!` of a variable that is not set.
  expect(refusal({ url, token: undefined as never })).toContain('token is empty')
})
