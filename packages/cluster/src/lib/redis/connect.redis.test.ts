import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import type { Log } from '@botwright/framework/cluster'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readAddress } from './address.ts'
import { RedisLink } from './connect.ts'
import { describeWithRedis, makeCertificate, startRedis } from '../redis-rig.test.fixture.ts'
import { script } from './scripts.ts'

/** Each of the two connections of a proxy ends with the other. */
function endTogether(client: Socket, server: Socket): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const)
    one.on('error', () => {}).on('close', () => other.destroy())
}

const PASSWORD = 'canary-p@ss/wörd%'
const userinfo = `:${encodeURIComponent(PASSWORD)}`

function listening() {
  const lines: string[] = []
  const tell = (level: string) => (facts: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(facts)}`)
  const log: Log = { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') }
  return { log, lines }
}

/** A reply ends it, which may take long. */
const open = (url: string, { log } = listening(), more = {}) =>
  RedisLink.open({ url, log, clock: systemClock, name: 'test', startMs: 10_000, ...more })
/** Where no answer comes. */
const openBriefly = (url: string) => open(url, listening(), { startMs: 2000 })

test('an address is read with its parts, and shown without user and password', () => {
  expect(readAddress(`redis://me:${encodeURIComponent(PASSWORD)}@cache.example:7000/3`)).toMatchObject({
    shown: 'redis://cache.example:7000/3',
    options: { host: 'cache.example', port: 7000, db: 3, username: 'me', password: PASSWORD },
  })
  expect(readAddress('redis://localhost')).toMatchObject({
    shown: 'redis://localhost:6379',
    options: { host: 'localhost', port: 6379, db: 0 },
  })
  expect(readAddress('redis://[::1]:7')).toMatchObject({ shown: 'redis://[::1]:7', options: { host: '::1' } })
  expect(readAddress('rediss://a.example')).toMatchObject({ options: { tls: { servername: 'a.example' } } })
  expect(readAddress('rediss://10.0.0.1').options.tls).toEqual({})
  expect(readAddress(`unix://${userinfo}@localhost/run/redis.sock?db=2`)).toMatchObject({
    shown: 'unix:///run/redis.sock?db=2',
    options: { path: '/run/redis.sock', db: 2, password: PASSWORD },
  })
})

test.each([
  ['', /cannot be parsed; write redis:\/\//],
  ['localhost:6379', /cannot be parsed/],
  [`http://${userinfo}@localhost`, /cannot be parsed/],
  [`redis://${userinfo}@`, /cannot be parsed|has no host/],
  [`redis://${userinfo}@a/db`, /"db" is not a database number/],
  ['redis://:50%@a', /the password in the URL of Redis contains a "%" that is not part of an escape/],
  [`redis://${userinfo}@a?ca=/x`, /"\?ca=" is not supported in redis:/],
  [`rediss://${userinfo}@a?verify=no`, /"\?verify=" is not supported.*ca, cert, key/],
  ['rediss://a?ca=/nowhere/ca.pem', /"\?ca=\/nowhere\/ca\.pem": ENOENT/],
  ['unix://', /has no file/],
])('%s is refused with what to write', (url, text) => {
  const caught = (() => {
    try {
      readAddress(url)
    } catch (error) {
      return error as Error
    }
    return undefined
  })()
  expect(caught).toMatchObject({ code: 'ERR_CONFIG', message: expect.stringMatching(text) })
  expect(caught!.message).not.toMatch(/canary/)
})

describeWithRedis('a connection', () => {
  test('runs scripts, receives messages, and leaves nothing behind', async () => {
    await using redis = await startRedis()
    const { log, lines } = listening()
    const link = await open(redis.url, { log, lines })
    expect(await link.run(script<number>('sum', 'return ARGV[1] + #KEYS'), ['a', 'b'], [40])).toBe(42)
    const heard: string[] = []
    const stop = await link.hear('news', z.string(), (text) => heard.push(text))
    await link.redis.publish('news', 'one')
    await expect.poll(() => heard).toEqual(['one'])
    stop()
    expect(await link.redis.client('LIST')).toMatch(/name=test .*\n.*name=test-hears /)
    await link.close()
    await link.close()
    await expect(link.redis.ping()).rejects.toThrow()
    expect(lines).toEqual([])
  })

  test('can be closed while it subscribes again: the process goes on', async () => {
    await using redis = await startRedis()
    const target = new URL(redis.url)
    let subscriptions = 0
    const proxy = createTcpServer((client) => {
      const server = connect(Number(target.port), target.hostname)
      client.on('data', (chunk) => {
        // The second subscription gets no answer.
        if (!/subscribe/i.test(String(chunk)) || ++subscriptions === 1) server.write(chunk)
      })
      server.on('data', (chunk) => {
        client.write(chunk)
        if (subscriptions === 1 && /subscribe/i.test(String(chunk))) client.destroy()
      })
      endTogether(client, server)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const rejections: unknown[] = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on('unhandledRejection', note)
    try {
      const link = await open(`redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
      await link.hear('news', z.string(), () => {})
      await expect.poll(() => subscriptions).toBe(2)
      await link.close()
      await new Promise((resolve) => setImmediate(resolve))
      expect(rejections).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
      proxy.close()
    }
  })

  test('receives messages again after the connection for them was cut silently', async () => {
    await using redis = await startRedis()
    const target = new URL(redis.url)
    let isCut = false
    const proxy = createTcpServer((client) => {
      const server = connect(Number(target.port), target.hostname)
      let isSilent = false
      client.on('data', (chunk) => isSilent || server.write(chunk))
      server.on('data', (chunk) => {
        if (isSilent) return
        client.write(chunk)
        isSilent = !isCut && /subscribe/i.test(String(chunk))
        isCut ||= isSilent
      })
      endTogether(client, server)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const heard: string[] = []
    await using link = await open(url, listening(), { answerMs: 1000 })
    await link.hear('news', z.string(), (text) => heard.push(text))
    await expect.poll(async () => (await link.redis.publish('news', 'tea'), heard.length)).toBeGreaterThan(0)
    proxy.close()
  })

  test('ignores a malformed message, logs it once per minute, and receives the next one', async () => {
    await using redis = await startRedis()
    const { log, lines } = listening()
    await using link = await open(redis.url, { log, lines })
    const heard: unknown[] = []
    await link.hear('news', z.string().regex(/^\w+$/), (text) => heard.push(text))
    for (const text of ['not a word', 'x'.repeat(2000), 'two']) await link.redis.publish('news', text)
    await expect.poll(() => heard).toEqual(['two'])
    expect(lines).toEqual([
      expect.stringMatching(/^error redis:.*: ignored a malformed message on the channel news: .*ACL rules/),
    ])
  })

  test('reports an unavailable Redis at the start, with its address and without the password', async () => {
    const redis = await startRedis()
    await redis[Symbol.asyncDispose]()
    const url = redis.url.replace('//', `//${userinfo}@`)
    await expect(openBriefly(url)).rejects.toMatchObject({
      code: 'ERR_CLUSTER',
      message: expect.stringMatching(
        /^cluster: redis:\/\/127\.0\.0\.1:\d+: Redis cannot be used: nothing is listening there; start Redis, or correct the address \(.*ECONNREFUSED/,
      ),
    })
  })

  test('one that starts in that moment is waited for', async () => {
    await using redis = await startRedis()
    await redis.kill()
    const opening = open(redis.url)
    await redis.start()
    await using link = await opening
    expect(await link.redis.ping()).toBe('PONG')
  })

  test('a wrong password, none, and a database that is not there', async () => {
    await using redis = await startRedis({ requirepass: PASSWORD }, { userinfo })
    await using link = await open(redis.url)
    expect(await link.redis.ping()).toBe('PONG')
    const bare = `redis://127.0.0.1:${redis.port}`
    const wrong = await open(bare.replace('//', '//:canary-wrong@')).catch((error: unknown) => error as Error)
    expect(wrong).toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/rejects the user name or the password/),
    })
    expect(`${(wrong as Error).stack} ${JSON.stringify(wrong)}`).not.toContain('canary')
    await expect(open(bare)).rejects.toThrow(/it requires a password; add it to the address/)
    await expect(open(`${redis.url}/99`)).rejects.toThrow(/no database with that number/)
  })

  test('logs once that Redis is unavailable and once that it is back; commands in between fail at once', async () => {
    await using redis = await startRedis({ requirepass: PASSWORD }, { userinfo })
    const { log, lines } = listening()
    await using link = await open(redis.url, { log, lines })
    const seen: string[] = []
    link.watch({ away: () => seen.push('away'), back: ({ sameServer }) => seen.push(`back ${sameServer}`) })
    const heard: string[] = []
    await link.hear('news', z.string(), (text) => heard.push(text))
    await redis.kill()
    await expect.poll(() => link.awaySinceMs).toBeTypeOf('number')
    await expect(link.redis.ping()).rejects.toThrow()
    expect(await link.there(10)).toBe(false)
    // Several attempts to connect again fail meanwhile.
    await expect.poll(() => link.redis.status === 'reconnecting').toBe(true)
    expect(await link.there(300)).toBe(false)
    await redis.start()
    expect(await link.there(60_000)).toBe(true)
    expect(link.awaySinceMs).toBeUndefined()
    expect(seen).toEqual(['away', 'back false'])
    expect(lines).toEqual([
      expect.stringMatching(
        /^error redis:\/\/127\.0\.0\.1:\d+: Redis is unavailable: .*; no new event starts until it is back/,
      ),
      expect.stringMatching(/^info .*: Redis is back after \d+\.\d s, with a new server process/),
    ])
    expect(lines.join()).not.toContain('canary')
    await expect.poll(() => link.redis.publish('news', 'again').then(() => heard.length > 0)).toBe(true)
  })

  test('an error of one listener is logged, and reaches neither the others nor the process', async () => {
    await using redis = await startRedis()
    const { log, lines } = listening()
    await using link = await open(redis.url, { log, lines })
    const seen: string[] = []
    const broken = (what: string) => () => {
      seen.push(what)
      throw new Error('broken')
    }
    link.watch({ away: broken('away 1'), back: broken('back 1') })
    link.watch({ away: broken('away 2'), back: broken('back 2') })
    await using admin = await open(redis.url, { log, lines })
    await admin.redis.client('KILL', 'ID', await link.redis.client('ID'))
    await expect.poll(() => seen).toEqual(['away 1', 'away 2', 'back 1', 'back 2'])
    expect(lines.filter((line) => line.includes('could not be handled: broken'))).toHaveLength(4)
  })

  test('one that does not answer is given up, and is the same one afterwards', async () => {
    await using redis = await startRedis()
    const { log, lines } = listening()
    await using link = await open(redis.url, { log, lines }, { answerMs: 200 })
    const back = new Promise((resolve) => link.watch({ back: resolve }))
    redis.freeze()
    await expect(link.redis.ping()).rejects.toThrow()
    await expect
      .poll(() => lines)
      .toEqual([expect.stringMatching(/unavailable: it does not respond; check the network/)])
    redis.thaw()
    expect(await back).toEqual({ sameServer: true })
  })

  test(
    'a process that was frozen, or that ends, does not report Redis as unavailable',
    { tags: 'all/redis' },
    async () => {
      await using redis = await startRedis()
      const { log, lines } = listening()
      await using link = await open(redis.url, { log, lines }, { answerMs: 500 })
      const stoodStill = async () => {
        const asked = link.redis.ping()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
        await expect(asked).rejects.toThrow()
      }
      const back = new Promise((resolve) => link.watch({ back: resolve }))
      await stoodStill()
      expect(await back).toEqual({ sameServer: true })
      await stoodStill()
      await link.close()
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(lines).toEqual([])
    },
  )

  test('speaks TLS with the authority that is named, and with no other', { tags: 'all/redis' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botwright-tls-'))
    try {
      const { cert, key } = await makeCertificate(folder)
      const files = { 'tls-cert-file': cert, 'tls-key-file': key, 'tls-ca-cert-file': cert }
      await using redis = await startRedis({ ...files, 'tls-auth-clients': 'optional' }, { scheme: 'rediss' })
      await using link = await open(`${redis.url}?ca=${cert}`)
      expect(await link.redis.ping()).toBe('PONG')
      await expect(open(redis.url)).rejects.toThrow(/certificate was signed by an unknown authority; give the file/)
      await expect(open(redis.url.replace('rediss', 'redis'))).rejects.toThrow(/write rediss:\/\/ if it uses TLS/)
      await using strict = await startRedis(files, { scheme: 'rediss' })
      await expect(open(`${strict.url}?ca=${cert}`)).rejects.toMatchObject({ code: 'ERR_CONFIG' })
      await using known = await open(`${strict.url}?ca=${cert}&cert=${cert}&key=${key}`)
      expect(await known.redis.ping()).toBe('PONG')
      await using plain = await startRedis()
      await expect(openBriefly(plain.url.replace('redis', 'rediss'))).rejects.toThrow(
        /it does not respond; check .*, and that it uses TLS/,
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a certificate must be for the host that the address names', { tags: 'all/redis' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botwright-tls-'))
    try {
      const { cert, key } = await makeCertificate(folder, 'DNS:localhost')
      const files = { 'tls-cert-file': cert, 'tls-key-file': key, 'tls-auth-clients': 'no' }
      await using redis = await startRedis(files, { scheme: 'rediss' })
      await using link = await open(`rediss://localhost:${redis.port}?ca=${cert}`)
      expect(await link.redis.ping()).toBe('PONG')
      // Blocking commands have a connection of their own.
      expect(await link.another('works').ping()).toBe('PONG')
      await expect(open(`${redis.url}?ca=${cert}`)).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringMatching(
          /its certificate is for another name; use the name in the certificate \(.*127\.0\.0\.1/,
        ),
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('reaches Redis through a socket file', { tags: 'all/redis' }, async () => {
    await using redis = await startRedis()
    await using usual = await open(redis.url)
    await usual.redis.set('k', 'v')
    const path = join(redis.folder, 's.sock')
    await using other = await startRedis({ unixsocket: path })
    await using link = await open(`unix://${path}`)
    expect(await link.redis.get('k')).toBeNull()
    expect(link.shown).toBe(`unix://${path}`)
    expect(other.port).not.toBe(redis.port)
  })
})

test('reports a server that is not Redis', async () => {
  const server = createServer((_, response) => void response.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const refused = await open(`redis://127.0.0.1:${port}`).catch((error: Error) => error.message)
  expect(refused).toContain('the server there is not Redis; correct the address')
  expect(refused).not.toContain('Please report')
  server.closeAllConnections()
  server.close()
})
