import { VirtualClock } from '@botwright/clock'
import { describe, expect, test } from 'vitest'
import {
  answer,
  badService,
  cutOff,
  drip,
  drive,
  hangUp,
  html,
  id,
  until,
  type Behaviour,
} from './bad-service.test.fixture.ts'
import { createCall } from './calls/http-call.ts'
import { clampSeconds } from './retry.ts'
import { rig } from './rig.test.fixture.ts'

const message = { id: id(1), content: 'hi' }
const channel_id = id(9)

const faults: [string, Behaviour][] = [
  ['408', answer(408)],
  ['500', answer(500, { error: 'oops' })],
  ['502 with HTML', html(502)],
  ['503', answer(503)],
  ['504', answer(504)],
  ['200 with HTML', html(200)],
  ['200 with half of a JSON', answer(200, '{"id": "')],
  ['a cut-off body', cutOff],
  ['a closed connection', hangUp],
]

describe('transient faults', () => {
  test.each(faults)('retries a GET after %s [spec: 4/messages.get, decisions/32]', async (_, behaviour) => {
    await using it = await rig([behaviour, behaviour, answer(200, message)])
    const got = await drive(it.clock, it.call('messages.get', { channel_id, message_id: id(1) }))
    expect(got).toEqual(message)
    expect(it.seen).toHaveLength(3)
    expect(it.call.stats()).toMatchObject({ requests: 3, retries: 2 })
  })

  test.each(faults)('does not retry a POST after %s', async (_, behaviour) => {
    await using it = await rig([behaviour, answer(200, message)])
    const error = await drive(it.clock, it.call('messages.create', { channel_id, content: 'hi' }))
    expect(error).toMatchObject({ name: 'ServiceError', code: 'ERR_UNKNOWN_OUTCOME', endpoint: 'messages.create' })
    expect(it.seen).toHaveLength(1)
  })

  test('calls the hook before each attempt, which it may stop', async () => {
    await using it = await rig([answer(503), answer(200, message)])
    let asked = 0
    const leaving = () => {
      if (++asked === 2) throw new Error('not any more')
    }
    const input = { channel_id, message_id: id(1) }
    expect(await drive(it.clock, it.call('messages.get', input, { leaving }))).toMatchObject({
      message: 'not any more',
    })
    expect(it.seen).toHaveLength(1)
    expect(await drive(it.clock, it.call('messages.get', input, { leaving }))).toEqual(message)
  })

  test.each(faults)('a DELETE that finds nothing after %s has removed it', async (_, behaviour) => {
    await using it = await rig([behaviour, answer(404, { error: 'message not found' })])
    const removed = it.call('messages.delete', { channel_id, message_id: id(1) })
    expect(await drive(it.clock, removed)).toEqual({ ok: true })
    expect(it.seen).toHaveLength(2)
  })

  test('a DELETE that finds nothing at first is refused, and so is a PUT after a fault', async () => {
    const input = { channel_id, message_id: id(1) }
    await using it = await rig([answer(404), answer(503), answer(404)])
    expect(await drive(it.clock, it.call('messages.delete', input))).toMatchObject({ status: 404 })
    expect(await drive(it.clock, it.call('messages.pin', input))).toMatchObject({ status: 404 })
  })

  test('retries a POST that opens or finds [spec: 4/users.dm]', async () => {
    await using it = await rig([answer(503), answer(200, { channel_id: id(3) })])
    expect(await drive(it.clock, it.call('users.dm', { user_id: id(2) }))).toEqual({ channel_id: id(3) })
    expect(it.seen).toHaveLength(2)
  })

  test('stops after four attempts with growing waits, and reports it', async () => {
    await using it = await rig([answer(503)])
    const error = await drive(it.clock, it.call('me.get', {}), 50)
    expect(error).toMatchObject({ code: 'ERR_NO_ANSWER', status: 503, endpoint: 'me.get' })
    const waits = it.seen.slice(1).map((seen, i) => seen.atMs - it.seen[i]!.atMs)
    expect(waits).toHaveLength(3)
    for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(200 * 2 ** i)
  })

  test('HTML with 200 in every attempt is a bad answer', async () => {
    await using it = await rig([html(200)])
    const error = await drive(it.clock, it.call('me.get', {}))
    expect(error).toMatchObject({ code: 'ERR_BAD_ANSWER', status: 200 })
    expect((error as Error).message).toContain('HTML')
  })

  test('retries after a refused connection, even a POST', async () => {
    const gone = await badService([answer(200)])
    await gone[Symbol.asyncDispose]()
    const clock = new VirtualClock()
    const call = createCall({ baseUrl: gone.baseUrl, token: 't', clock, timeoutMs: 1e9, random: () => 1 })
    const error = await drive(clock, call('messages.create', { channel_id, content: 'hi' }), 50)
    expect(error).toMatchObject({ code: 'ERR_NO_ANSWER', status: 0 })
    expect((error as Error).message).toMatch(/no connection to http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/)
    expect(call.stats()).toMatchObject({ requests: 4, retries: 3, used: 0 })
    await call[Symbol.asyncDispose]()
  })

  test('does not follow a redirect', async () => {
    await using it = await rig([answer(302, '', { location: 'http://127.0.0.1:1/' })])
    expect(await drive(it.clock, it.call('me.get', {}))).toMatchObject({ code: 'ERR_BAD_ANSWER', status: 302 })
    expect(it.seen).toHaveLength(1)
  })
})

describe('429', () => {
  const NOW = new VirtualClock().now()
  const cases: [header: string, seconds: number][] = [
    ['0', 1],
    ['-1', 1],
    ['3600', 3600],
    ['1e9', 86_400],
    ['7', 7],
    ['2.5', 2.5],
    ['7, 9', 7],
    [new Date(NOW + 60_000).toUTCString(), 60],
    [new Date(NOW - 60_000).toUTCString(), 1],
    [new Date(NOW + 864e5).toUTCString(), 86_400],
  ]
  const withClocks = cases.flatMap(([header, seconds]) => [0, 3_600_000].map((ms) => [header, seconds, ms] as const))
  test.each(withClocks)(
    'Retry-After %s is obeyed as %d s, with a clock ahead by %d ms [spec: 7/429]',
    async (header, seconds, hostAheadMs) => {
      // The host's clock may be wrong: a date is relative to that of the answer.
      const date = new Date(NOW).toUTCString()
      const behaviours = [answer(429, { error: 'slow down' }, { date, 'retry-after': header }), answer(200, message)]
      const clock = new VirtualClock(NOW + hostAheadMs)
      await using it = await rig(behaviours, { longestWaitMs: 1e9, clock })
      const sent = it.call('messages.create', { channel_id, content: 'hi' })
      await until(() => it.reports.length === 1)
      const [report] = it.reports
      expect(report).toMatchObject({ level: 'warn', code: 'rate-limited', status: 429 })
      // The clock has not moved yet, so a date is exactly as far away as its wait.
      expect(report!['waitMs']).toBe(seconds * 1000)
      await it.clock.advance(seconds * 1000 - 1)
      expect(it.seen).toHaveLength(1)
      expect(await drive(it.clock, sent)).toEqual(message)
      expect(it.seen).toHaveLength(2)
      expect(it.call.stats().rateLimited).toBe(1)
    },
  )

  test.each([['soon'], ['in 5 seconds'], ['NaN'], [undefined]])(
    'with Retry-After %s it is one request and a typed error [spec: 7/429, decisions/24]',
    async (header) => {
      const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header }
      await using it = await rig([answer(429, { error: 'same message twice' }, headers), answer(200, message)])
      const error = await drive(it.clock, it.call('messages.create', { channel_id, content: 'hi' }))
      expect(error).toMatchObject({ code: 'ERR_RATE_LIMITED', status: 429 })
      expect(error).not.toHaveProperty('retryAfterSeconds')
      expect((error as Error).message).toContain('same message twice')
      expect(it.seen).toHaveLength(1)
      expect(it.call.stats().rateLimited).toBe(1)
    },
  )

  test('fails with a typed error and the wait after three waits', async () => {
    await using it = await rig([answer(429, {}, { 'retry-after': '2' })])
    const error = await drive(it.clock, it.call('me.get', {}))
    expect(error).toMatchObject({ code: 'ERR_RATE_LIMITED', retryAfterSeconds: 2 })
    expect(it.seen).toHaveLength(4)
  })

  test('clamps any value to between 1 s and 1 day', () => {
    for (const value of [0, -5, 0.001, 1e9, '1e300', '+3', ['9', '1'], '-0']) {
      const seconds = clampSeconds(value, NOW)!
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(86_400)
    }
    for (const value of [undefined, null, '', ' ', {}, 'abc', '1 minute', 'Infinity', '0x10'])
      expect(clampSeconds(value, NOW)).toBeUndefined()
  })
})

describe('one timeout for the complete response', () => {
  test.each<[string, Behaviour]>([
    ['nothing comes', () => undefined],
    ['headers come and the body drips', drip],
  ])('%s', async (_, behaviour) => {
    await using it = await rig([behaviour], { timeoutMs: 5000 })
    let error: unknown
    const sent = it.call('messages.create', { channel_id, content: 'hi' }).catch((reason: unknown) => (error = reason))
    await until(() => it.seen.length === 1)
    await it.clock.advance(4999)
    expect(error).toBeUndefined()
    await it.clock.advance(1)
    await sent
    expect(error).toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME', status: 0 })
    expect((error as Error).message).toContain('no complete response within 5000 ms')
  })

  test('detects a truncated body without waiting', async () => {
    await using it = await rig([cutOff])
    await expect(it.call('messages.create', { channel_id, content: 'hi' })).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_OUTCOME',
    })
    expect(it.clock.monotonic()).toBe(0)
  })

  test('aborts a response that is too large, and does not retry it', async () => {
    await using it = await rig([answer(200, { blob: 'x'.repeat(5000) })], { maxAnswerBytes: 1000 })
    await expect(it.call('me.get', {})).rejects.toMatchObject({
      code: 'ERR_BAD_ANSWER',
      message: 'me.get: the response is larger than 1000 bytes',
    })
    expect(it.seen).toHaveLength(1)
  })
})

describe('aborting', () => {
  test('before sending: no request', async () => {
    await using it = await rig([answer(200, message)])
    const signal = AbortSignal.abort()
    await expect(it.call('me.get', {}, { signal })).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    await expect(it.call('messages.create', { channel_id, content: 'a' }, { signal })).rejects.toMatchObject({
      code: 'ERR_ABORTED',
    })
    expect(it.seen).toHaveLength(0)
    expect(it.call.stats().used).toBe(0)
  })

  test('while the response is pending, and during a wait', async () => {
    await using it = await rig([drip, answer(503)])
    for (const requests of [1, 2]) {
      const controller = new AbortController()
      const sent = it.call('me.get', {}, { signal: controller.signal })
      await until(() => it.seen.length === requests && it.call.stats().retries === requests - 1)
      controller.abort()
      await expect(sent).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    }
    expect(it.clock.waiting).toBe(0)
  })

  test('one signal may be that of many calls, without a warning of Node', async () => {
    await using it = await rig([answer(200, { id: id(1) })])
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 20 }, () => it.call('me.get', {}, { signal }).catch(() => {})))
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  test('a closed client ends its waits and rejects calls, without retrying', async () => {
    const it = await rig([answer(503)])
    const sent = it.call('me.get', {}).catch((error: unknown) => error)
    await until(() => it.call.stats().retries === 1)
    await it[Symbol.asyncDispose]()
    expect(await sent).toMatchObject({ code: 'ERR_ABORTED' })
    await expect(it.call('me.get', {})).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    expect(it.clock.waiting).toBe(0)
  })
})
