import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { VirtualClock } from '@botwright/clock'
import { describe, expect, test } from 'vitest'
import {
  answer,
  badService,
  cutOff,
  drive,
  hangUp,
  html,
  id,
  until,
  type Behaviour,
} from './bad-service.test.fixture.ts'
import { createChannelWebhook } from './channel-webhook.ts'

const SECRET = 'canary-webhook-token-51bd'

async function rig(behaviours: Behaviour[]) {
  const clock = new VirtualClock()
  const service = await badService(behaviours, clock)
  const webhook = createChannelWebhook(`${service.origin}/v1/channel-webhooks/${id(4)}/${SECRET}`, {
    clock,
    timeoutMs: 1e9,
    random: () => 1,
  })
  return {
    clock,
    webhook,
    seen: service.seen,
    [Symbol.asyncDispose]: async () => {
      await webhook[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

describe('channel webhook', () => {
  test('posts without a bot token; 204 is success [spec: 4/channelWebhooks.execute]', async () => {
    await using it = await rig([answer(204, '')])
    expect(await it.webhook.execute({ content: 'hi', username: 'Build' })).toBeUndefined()
    const [seen] = it.seen
    expect(seen).toMatchObject({ method: 'POST', path: `/v1/channel-webhooks/${id(4)}/${SECRET}` })
    expect(seen!.headers).not.toHaveProperty('authorization')
    expect(JSON.parse(seen!.body.toString())).toEqual({ content: 'hi', username: 'Build' })
  })

  test.each([
    ['bare', { id: id(1), content: 'hi' }],
    ['wrapped', { message: { id: id(1), content: 'hi' } }],
  ])('wait=true gives the message, %s', async (_, body) => {
    await using it = await rig([answer(200, body)])
    expect(await it.webhook.executeAndWait({ content: 'hi' })).toEqual({ id: id(1), content: 'hi' })
    expect(it.seen[0]!.path).toMatch(/\?wait=true$/)
  })

  test('get returns it, and is retried after a fault [spec: 4/channelWebhooks.get]', async () => {
    const shown = { id: id(4), name: 'Build', avatar_url: null, channel_id: id(9), server_id: id(2) }
    await using it = await rig([html(502), answer(200, shown)])
    expect(await drive(it.clock, it.webhook.get())).toEqual(shown)
    expect(it.seen.map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  test.each([
    [404, 10015],
    [401, 50027],
    [400, 50006],
    [400, 50035],
    [403, 50001],
  ])(
    '%d with code %d is a typed error after one request [spec: 7/10015, 7/50027, 7/50006, 7/50035, 7/50001, decisions/44]',
    async (status, code) => {
      await using it = await rig([answer(status, { message: 'no', code })])
      await expect(it.webhook.execute({ content: 'hi' })).rejects.toMatchObject({
        name: 'ServiceError',
        code: 'ERR_CHANNEL_WEBHOOK',
        webhookCode: code,
        status,
        message: `channelWebhooks.execute: the channel webhook refused the call (${code}, ${status}): no`,
      })
      expect(it.seen).toHaveLength(1)
    },
  )

  test('retries after a 429 and the retry_after of its body [spec: 8/channel_webhook_posts]', async () => {
    await using it = await rig([answer(429, { message: 'slow', code: 0, retry_after: 1.5 }), answer(204, '')])
    const sent = it.webhook.execute({ content: 'hi' })
    await until(() => it.seen.length === 1 && it.clock.waiting === 1)
    await it.clock.advance(1499)
    expect(it.seen).toHaveLength(1)
    await drive(it.clock, sent)
    expect(it.seen).toHaveLength(2)
  })

  test('sends a burst of posts at 5 per 2 s and 30 a minute, and none is refused [spec: 8/channel_webhook_posts]', async () => {
    const times: number[] = []
    const behaviour: Behaviour = (response, seen) => {
      times.push(it.clock.monotonic())
      answer(204, '')(response, seen)
    }
    await using it = await rig([behaviour])
    const posts = Array.from({ length: 40 }, (_, i) => it.webhook.execute({ content: String(i) }))
    await drive(it.clock, Promise.all(posts))
    expect(it.seen.map(({ body }) => (JSON.parse(body.toString()) as { content: string }).content).sort()).toEqual(
      posts.map((_, i) => String(i)).sort(),
    )
    for (const [i, time] of times.entries()) {
      if (i >= 5) expect(time - times[i - 5]!).toBeGreaterThan(2000)
      if (i >= 30) expect(time - times[i - 30]!).toBeGreaterThan(60_000)
    }
  })

  test('rejects a URL without id and token before sending', () => {
    expect(() => createChannelWebhook('https://chat.example.com/')).toThrow(
      'the channel webhook URL does not end in its id and its token; copy the whole URL',
    )
  })

  test('a 429 without any wait is a typed error', async () => {
    await using it = await rig([answer(429, { message: 'slow', code: 0 })])
    await expect(it.webhook.execute({ content: 'hi' })).rejects.toMatchObject({ code: 'ERR_RATE_LIMITED' })
    expect(it.seen).toHaveLength(1)
  })

  test.each<[string, Behaviour]>([
    ['502', html(502)],
    ['a closed connection', hangUp],
    ['a cut-off body', cutOff],
  ])('a post is not repeated after %s', async (_, behaviour) => {
    await using it = await rig([behaviour])
    const error = await drive(it.clock, it.webhook.executeAndWait({ content: 'hi' }))
    expect(error).toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
    expect(it.seen).toHaveLength(1)
  })

  test('rejects an empty or too long post without sending it [spec: 8/channel_webhook_username]', async () => {
    await using it = await rig([answer(204, '')])
    for (const post of [{}, { content: ' ' }, { content: 'a', username: 'x'.repeat(81) }, { embeds: [] }]) {
      await expect(it.webhook.execute(post)).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
    }
    expect(it.seen).toHaveLength(0)
  })
})

test.each([['http://127.0.0.1:1/'], ['http://127.0.0.1:1/hooks'], ['http://127.0.0.1:1//hooks/']])(
  '%s is not the whole URL of a channel webhook',
  (url) => {
    expect(() => createChannelWebhook(url)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining('its id and its token') }),
    )
  },
)

test('posts that did not reach the service do not count against the limits', async () => {
  const clock = new VirtualClock()
  const server = createServer((_, response) => response.writeHead(204).end())
  const listen = async (port: number) => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  await new Promise((resolve) => server.close(resolve))
  const options = { clock, timeoutMs: 1e9, random: () => 0 }
  await using webhook = createChannelWebhook(`http://127.0.0.1:${port}/webhooks/1/token`, options)
  const post = () => webhook.execute({ content: 'hi' })
  const codes = Array.from({ length: 30 }, () => post().catch(({ code }: { code: string }) => code))
  expect(new Set((await drive(clock, Promise.all(codes))) as string[])).toEqual(new Set(['ERR_NO_ANSWER']))
  await listen(port)
  const beganMs = clock.monotonic()
  await drive(clock, post(), 1)
  server.close()
  expect(clock.monotonic() - beganMs).toBeLessThan(2000)
})

test('closing a client twice closes it once, and later posts are rejected at once', async () => {
  const webhook = createChannelWebhook('http://127.0.0.1:1/webhooks/1/token')
  await webhook[Symbol.asyncDispose]()
  await webhook[Symbol.asyncDispose]()
  await expect(webhook.execute({ content: 'hi' })).rejects.toMatchObject({ code: 'ERR_ABORTED' })
})
