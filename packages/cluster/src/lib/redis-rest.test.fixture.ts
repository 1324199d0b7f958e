import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { systemClock } from '@botwright/clock'
import { RedisLink } from './redis/connect.ts'
import type { RedisRig } from './redis-rig.test.fixture.ts'

/** The REST API of Upstash, over a Redis of this computer: a command as a list, and its result. */
export interface RestRig extends AsyncDisposable {
  readonly url: string
  readonly token: string
  /** The next responses are lost, after Redis has done their commands. */
  lose(count: number): void
}

export async function startRest({ url }: Pick<RedisRig, 'url'>): Promise<RestRig> {
  const token = 'token-of-rest'
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const link = await RedisLink.open({ url, log, clock: systemClock, name: 'rest' })
  let lost = 0
  const server = createServer((req, res) => {
    void textOf(req).then(async (body) => {
      const send = (status: number, value: object) => res.writeHead(status).end(JSON.stringify(value))
      if (req.headers.authorization !== `Bearer ${token}`) return send(401, { error: 'WRONGPASS' })
      const [name, ...args] = JSON.parse(body) as [string, ...string[]]
      try {
        const result: unknown = await link.redis.call(name, ...args)
        if (lost-- > 0) return res.destroy()
        return send(200, { result })
      } catch (error) {
        return send(400, { error: (error as Error).message })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    lose: (count) => void (lost = count),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await link.close()
    },
  }
}
