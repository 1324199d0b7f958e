import { inspect } from 'node:util'
import { VirtualClock } from '@botwright/clock'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { answer, badService, type Behaviour, id } from '../bad-service.test.fixture.ts'
import type { RestOptions } from '../call-types.ts'
import { createCall } from '../calls/http-call.ts'
import { createChannelWebhook } from '../channel-webhook.ts'
import { startProxy } from './proxy.test.fixture.ts'

const TOKEN = 'canary-bot-token-7f3a'
const PASSWORD = 'canary-password-51bd'
const encoded = Buffer.from(`me:${PASSWORD}`).toString('base64')

// A short timeout would pass while it loads.
beforeAll(async () => {
  await import('./tunnel.ts')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** A service that only the proxy can find, at chat.example, and a client for it. */
async function behindProxy({
  scheme = 'http',
  behaviour = answer(200, { id: id(1) }),
  refuse,
  ...options
}: Partial<RestOptions> & { scheme?: string; behaviour?: Behaviour; refuse?: number | 'hangs' } = {}) {
  const service = await badService([behaviour])
  const proxy = await startProxy(Number(new URL(service.origin).port), refuse)
  vi.stubEnv(`${scheme.toUpperCase()}_PROXY`, `http://me:${PASSWORD}@${proxy.host}`)
  const origin = `${scheme}://chat.example`
  const call = createCall({ baseUrl: `${origin}/v1`, token: TOKEN, messageBudget: false, random: () => 0, ...options })
  return {
    service,
    proxy,
    origin,
    call,
    [Symbol.asyncDispose]: async () => {
      // First: closing a client waits for connections that are being opened.
      await proxy[Symbol.asyncDispose]()
      await call[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

test('http requests go through the proxy with its credentials, on connections that are kept, and the service does not see them', async () => {
  await using rig = await behindProxy()
  for (let i = 0; i < 9; i++) await rig.call('me.get', {})
  expect(rig.proxy.seen).toEqual(
    Array(9).fill({ line: 'GET http://chat.example/v1/me', authorization: `Basic ${encoded}` }),
  )
  // One may still be reading the last response when the next call starts.
  expect(rig.proxy.accepted).toBeLessThanOrEqual(2)
  const [{ path, headers } = { path: '', headers: {} }] = rig.service.seen
  expect([path, headers.host, headers.authorization]).toEqual(['/v1/me', 'chat.example', `Bot ${TOKEN}`])
  expect(inspect(headers)).not.toContain(encoded)
})

test('a poll is not cut short, and waits beside other calls', async () => {
  let end: (() => void) | undefined
  await using rig = await behindProxy({
    behaviour: (response, seen) => {
      const give = () =>
        answer(200, seen.path.startsWith('/v1/events') ? { events: [] } : { id: id(1) })(response, seen)
      if (seen.path.startsWith('/v1/events')) end = give
      else give()
    },
  })
  const poll = rig.call('events.list', { after: 0 })
  await expect.poll(() => end).toBeDefined()
  await rig.call('me.get', {})
  end!()
  expect(await poll).toEqual({ events: [] })
})

test('channel webhooks use it too', async () => {
  await using rig = await behindProxy({ behaviour: answer(204) })
  await using webhook = createChannelWebhook(`${rig.origin}/v1/channel-webhooks/${id(4)}/secret`)
  await webhook.execute({ content: 'hi' })
  expect(rig.proxy.seen.map(({ line }) => line)).toEqual([
    `POST http://chat.example/v1/channel-webhooks/${id(4)}/secret`,
  ])
})

test('loopback addresses and those in NO_PROXY are called directly', async () => {
  await using rig = await behindProxy()
  await using local = createCall({ baseUrl: rig.service.baseUrl, token: TOKEN })
  await local('me.get', {})
  vi.stubEnv('NO_PROXY', 'chat.example')
  await using excepted = createCall({ baseUrl: 'http://chat.example/v1', token: TOKEN, timeoutMs: 1 })
  const error: unknown = await excepted('me.get', {}).catch((reason: unknown) => reason)
  expect((error as Error).message).not.toContain('proxy')
  expect(rig.proxy.seen).toEqual([])
  expect(rig.service.seen).toHaveLength(1)
})

test.each(['http', 'https'])(
  'the error of a refusal over %s names the proxy without its credentials',
  async (scheme) => {
    await using rig = await behindProxy({ scheme, refuse: 407 })
    const error: unknown = await rig.call('me.get', {}).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'ERR_NO_ANSWER',
      message: `me.get: no connection to ${scheme}://chat.example through the proxy http://${rig.proxy.host} (HTTP 407)`,
    })
    const shown = inspect(error, { depth: Infinity, showHidden: true, maxStringLength: null })
    for (const secret of [PASSWORD, encoded, TOKEN]) expect(shown).not.toContain(secret)
    expect(rig.service.seen).toEqual([])
    expect(rig.proxy.seen[0]).toEqual({
      line: scheme === 'https' ? 'CONNECT chat.example:443' : 'GET http://chat.example/v1/me',
      authorization: `Basic ${encoded}`,
    })
  },
)

test.each(['http', 'https'])(
  'a proxy over %s that hangs does not hold a call longer than its timeout',
  async (scheme) => {
    const clock = new VirtualClock()
    await using rig = await behindProxy({ scheme, refuse: 'hangs', timeoutMs: 500, clock })
    let isOver = false
    const refused = expect(rig.call('me.get', {}).finally(() => (isOver = true))).rejects.toMatchObject({
      code: 'ERR_NO_ANSWER',
    })
    await expect.poll(() => rig.proxy.seen.length).toBeGreaterThan(0)
    // Several attempts, with waits between them.
    await expect.poll(async () => (await clock.advance(500), isOver)).toBe(true)
    await refused
  },
)

test('a proxy that is gone is an error of the connection', async () => {
  await using rig = await behindProxy({ scheme: 'https' })
  await rig.proxy[Symbol.asyncDispose]()
  await expect(rig.call('me.get', {})).rejects.toThrow(
    `no connection to https://chat.example through the proxy http://${rig.proxy.host} (ECONNREFUSED)`,
  )
})

test('a message that a proxy did not send on is sent again', async () => {
  await using rig = await behindProxy({ scheme: 'https', refuse: 503 })
  await expect(rig.call('messages.create', { channel_id: id(9), content: 'hi' })).rejects.toMatchObject({
    code: 'ERR_NO_ANSWER',
  })
  expect(rig.proxy.seen.length).toBeGreaterThan(1)
})

test('a bad value is refused before any request', () => {
  vi.stubEnv('HTTPS_PROXY', 'proxy.example:3128')
  expect(() => createCall({ baseUrl: 'https://chat.example/v1', token: TOKEN })).toThrow(/^HTTPS_PROXY is not an http/)
})
