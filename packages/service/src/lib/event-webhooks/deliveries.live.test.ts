/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-argument, typescript/no-unsafe-return -- answers are read as loosely as they arrive */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { VirtualClock } from '@botwright/clock'
import { eventWebhookHeaders, signEventWebhook, verifyEventWebhook, WebhookEvent } from '@botwright/protocol'
import { migrate, openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertEvent } from '../db/events.ts'
import { migrations } from '../db/schema.ts'
import { preparedSql } from '../db/sql.ts'
import { Deliveries, MAX_QUEUED } from './deliveries.ts'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { privateUrls } from './private-addresses.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

interface Got {
  method: string | undefined
  url: string | undefined
  headers: IncomingHttpHeaders
  body: Buffer
}
type Behavior = (response: ServerResponse, count: number) => void

/** A receiver on this machine; `behavior` responds, or does not. */
async function receiver(behavior: Behavior = (response) => response.end()) {
  const got: Got[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      got.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(parts) })
      behavior(response, got.length)
    })
  })
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    got,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?bot=1`,
    connections: () => connections,
    events: () => got.map(({ body }) => WebhookEvent.parse(JSON.parse(body.toString()))),
    texts: () => got.map(({ body }) => (JSON.parse(body.toString()) as { data: { content: string } }).data.content),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

let chat: Awaited<ReturnType<typeof startTest>>
beforeEach(async () => void (chat = await startTest({ allowLoopbackWebhooks: true })))
afterEach(() => chat.close())

const set = async (url: string | null) => {
  const { status, body } = await chat.person('ann', 'PUT', `/bots/${chat.botId}/event-webhook`, { url })
  expect(status).toBe(200)
  return body.secret as string
}
const say = (content: string) => chat.person('bob', 'POST', `${chat.channel('general')}/messages`, { content })
const until = (fact: () => boolean) => expect.poll(fact, { interval: 5 }).toBe(true)
const silent: Behavior = () => undefined

describe('event webhooks', () => {
  it('post the same data as polling, signed over the raw body [spec: decisions/20]', async () => {
    await using owner = await receiver()
    const secret = await set(owner.url)
    await say('héllo 👍')
    await until(() => owner.got.length === 1)
    const [{ method, url, headers, body }] = owner.got as [Got]
    expect([method, url, headers['content-type']]).toEqual(['POST', '/hook?bot=1', 'application/json'])
    expect(headers['x-service-bot']).toBe(chat.botId)
    expect(headers['x-service-signature']).toBe(signEventWebhook(secret, body))
    expect(verifyEventWebhook(secret, body, headers[eventWebhookHeaders.signature] as string)).toBe(true)
    const [event] = await chat.events()
    expect(JSON.parse(body.toString())).toEqual({ id: event!.id, event: 'message', data: event!.data })
    expect(headers).not.toHaveProperty('authorization')
  })

  it('post the test event of the Developer screen [spec: 6/test]', async () => {
    await using owner = await receiver()
    await set(owner.url)
    await chat.person('ann', 'POST', `/bots/${chat.botId}/test-event`)
    await until(() => owner.got.length === 1)
    expect(owner.events()).toEqual([
      { id: expect.any(Number), event: 'test', data: { channel_id: null, server_id: null } },
    ])
  })

  it('post in order, each id once, one at a time, alongside polling', async () => {
    let open = 0
    let most = 0
    await using owner = await receiver((response) => {
      most = Math.max(most, (open += 1))
      setTimeout(() => {
        open -= 1
        response.end()
      }, 2)
    })
    await set(owner.url)
    for (let i = 0; i < 30; i++) await say(`${i}`)
    await until(() => owner.got.length === 30)
    const polled = await chat.events()
    expect(owner.events().map(({ id }) => id)).toEqual(polled.map(({ id }) => id))
    expect(owner.texts()).toEqual(Array.from({ length: 30 }, (_, i) => `${i}`))
    expect(most).toBe(1)
  })

  it('time out after 3 seconds and do not retry [spec: 8/event_webhook_delivery]', async () => {
    await using owner = await receiver((response, count) => void (count > 1 && response.end()))
    await set(owner.url)
    await say('lost')
    await say('next')
    await until(() => owner.got.length === 1)
    await chat.clock.advance(2999)
    await say('third')
    expect(owner.texts()).toEqual(['lost'])
    await chat.clock.advance(1)
    await until(() => owner.got.length === 3)
    expect(owner.texts()).toEqual(['lost', 'next', 'third'])
    expect((await chat.events()).map(({ data }) => data.content)).toEqual(['lost', 'next', 'third'])
  })

  it('have 3 seconds that really pass: moving the clock ends no attempt', async () => {
    await using other = await startTest({ allowLoopbackWebhooks: true, controls: true })
    const waiting: ServerResponse[] = []
    await using owner = await receiver((response) => void waiting.push(response))
    await other.person('ann', 'PUT', `/bots/${other.botId}/event-webhook`, { url: owner.url })
    await other.person('ann', 'POST', `/bots/${other.botId}/test-event`)
    await until(() => waiting.length === 1)
    const ended = new Promise<string>((resolve) => {
      waiting[0]!.once('close', () => resolve('closed by the service'))
      waiting[0]!.once('finish', () => resolve('answered'))
    })
    await other.call('POST', '/controls/v1/clock', { body: { advance_seconds: 60 } })
    await other.person('ann', 'POST', `/bots/${other.botId}/test-event`)
    expect(waiting).toHaveLength(1)
    waiting[0]!.end()
    expect(await ended).toBe('answered')
    await until(() => waiting.length === 2)
  })

  const failures: [string, Behavior][] = [
    ['a failure', (response) => response.writeHead(500).end('no')],
    ['a request to wait', (response) => response.writeHead(429, { 'retry-after': '0' }).end()],
    ['a closed connection', (response) => void response.destroy()],
    [
      'a truncated response',
      (response) => void response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy()),
    ],
    [
      'another protocol',
      (response) => void response.socket!.write('HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['an invalid response', (response) => void response.socket!.end('hello\r\n\r\n')],
    ['endless headers', (response) => void response.socket!.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`)],
  ]
  it.each(failures)('do not retry after %s, and send the next event', async (_, behavior) => {
    await using owner = await receiver(behavior)
    await set(owner.url)
    await say('1')
    await say('2')
    await until(() => owner.got.length === 2)
    await chat.clock.advance(10_000)
    expect(owner.texts()).toEqual(['1', '2'])
  })

  it('follow no redirect', async () => {
    await using elsewhere = await receiver()
    for (const status of [301, 302, 303, 307, 308]) {
      await using owner = await receiver((response) => response.writeHead(status, { location: elsewhere.url }).end())
      await set(owner.url)
      await say(`${status}`)
      await until(() => owner.got.length === 1)
    }
    expect(elsewhere.connections()).toBe(0)
  })

  it('do not read the response body', async () => {
    let sent = 0
    await using owner = await receiver((response, count) => {
      if (count > 1) return void response.end()
      const more = () => {
        sent += 65_536
        if (!response.destroyed && sent < 64 * 1024 * 1024) response.write(Buffer.alloc(65_536), more)
      }
      more()
    })
    await set(owner.url)
    await say('1')
    await say('2')
    await until(() => owner.got.length === 2)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  it('use a new URL and a new secret immediately, also for queued events', async () => {
    await using old = await receiver(silent)
    await using fresh = await receiver()
    const secret = await set(old.url)
    await say('1')
    await say('2')
    await until(() => old.got.length === 1)
    expect(await set(fresh.url)).toBe(secret)
    const { body } = await chat.person('ann', 'POST', `/bots/${chat.botId}/event-webhook/secret`)
    await chat.clock.advance(3000)
    await until(() => fresh.got.length === 1)
    expect(old.texts()).toEqual(['1'])
    expect(fresh.texts()).toEqual(['2'])
    expect(fresh.got[0]!.headers['x-service-signature']).toBe(signEventWebhook(body.secret, fresh.got[0]!.body))
  })

  it('stop when the owner removes the URL or the bot', async () => {
    await using owner = await receiver(silent)
    await set(owner.url)
    await say('1')
    await say('2')
    await until(() => owner.got.length === 1)
    await set(null)
    await say('3')
    await chat.clock.advance(3000)
    await set(owner.url)
    await say('4')
    await until(() => owner.got.length === 2)
    await chat.person('ann', 'DELETE', `/bots/${chat.botId}`)
    await chat.clock.advance(3000)
    await say('5')
    expect(owner.texts()).toEqual(['1', '4'])
  })

  it('one slow receiver delays neither others nor the service', async () => {
    await using slow = await receiver(silent)
    await using quick = await receiver()
    await set(slow.url)
    const strangerId = chat.service.world.bots['stranger']!.id
    await chat.person('carol', 'PUT', `/bots/${strangerId}/event-webhook`, { url: quick.url })
    const home = (await chat.person('carol', 'POST', '/servers', { name: 'Home' })).body.server.id as string
    await chat.person('carol', 'PUT', `/servers/${home}/bots/${strangerId}`)
    for (let i = 0; i < 20; i++) {
      expect((await say(`${i}`)).status).toBe(200)
      await chat.person('carol', 'POST', `/bots/${strangerId}/test-event`)
    }
    await until(() => quick.got.length === 20)
    expect(slow.got).toHaveLength(1)
    expect(await chat.events()).toHaveLength(20)
  })

  it('abort running posts when the service closes', async () => {
    await using owner = await receiver(silent)
    await using other = await startTest({ controls: true })
    await other.person('ann', 'PUT', `/bots/${other.botId}/event-webhook`, { url: owner.url })
    for (let i = 0; i < 3; i++) await other.person('ann', 'POST', `/bots/${other.botId}/test-event`)
    await until(() => owner.got.length === 1)
    await other.close()
    expect(owner.got).toHaveLength(1)
  })
})

describe('the URL of an event webhook', () => {
  it('is refused with 400 unless it is public https', inAll, async () => {
    await using strict = await startTest()
    const put = (url: string) => strict.person('ann', 'PUT', `/bots/${strict.botId}/event-webhook`, { url })
    // The tests of the post itself check all of them without HTTP.
    for (const url of privateUrls(9).filter((_, index) => index % 8 === 0)) {
      const { status, body } = await put(url)
      expect([url, status, body.error]).toEqual([url, 400, 'url: must be a public https URL'])
    }
    for (const url of ['https://hooks.example/x?y=1', 'https://8.8.8.8:8443/', 'https://[2606:4700:4700::1111]/']) {
      expect((await put(url)).status).toBe(200)
    }
  })

  it('is also checked at each delivery if a world sets it', async () => {
    await using owner = await receiver()
    const world = testWorld()
    world.bots![0]!.event_webhook = { url: owner.url, secret: 'a secret of the world' }
    await using strict = await startTest({ world })
    await using open = await startTest({ world, controls: true })
    for (const each of [strict, open]) await each.person('ann', 'POST', `/bots/${each.botId}/test-event`)
    await until(() => owner.got.length === 1)
    expect(owner.connections()).toBe(1)
    expect(owner.got[0]!.headers['x-service-bot']).toBe(open.botId)
  })
})

it('queues at most 1000 events per receiver and drops the oldest', async () => {
  await using owner = await receiver(silent)
  const db = openDatabase(':memory:')
  migrate(db, migrations)
  db.exec(`
    INSERT INTO users (id, username, created_at, bot) VALUES ('a', 'ann', 0, 0), ('b', 'bot', 0, 1);
    INSERT INTO bots (user_id, owner_id, token_hash, webhook_url, webhook_secret) VALUES ('b', 'a', '', '${owner.url}', 's')`)
  const clock = new VirtualClock()
  const sql = preparedSql(db)
  const deliveries = new Deliveries(sql, clock, { allowLoopback: true })
  const ids = Array.from({ length: MAX_QUEUED + 3 }, (_, i) => {
    const data = `{"channel_id":null,"server_id":null,"content":"${i}"}`
    insertEvent(sql, { type: 'message', data, created_at: 0 }, { firstId: i + 2, targets: [{ botId: 'b' }] })
    return i + 2
  })
  deliveries.deliver('b', ids[0]!)
  await until(() => owner.got.length === 1)
  for (const id of ids.slice(1)) deliveries.deliver('b', id)
  for (const count of [2, 3]) {
    await clock.advance(3000)
    await until(() => owner.got.length === count)
  }
  expect(owner.texts()).toEqual(['0', '3', '4'])
  deliveries.clear()
  await clock.advance(3000)
  deliveries.close()
  db.close()
  expect(owner.got).toHaveLength(3)
})
