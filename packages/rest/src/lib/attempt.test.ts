import { getEventListeners } from 'node:events'
import { VirtualClock } from '@botwright/clock'
import { describe, expect, test } from 'vitest'
import { ServiceError } from './errors.ts'
import { attempt, type Attempts, clampSeconds, Unreadable } from './retry.ts'
import { type Answer, TransportFailure } from './connection/exchange.ts'

const respond = (status: number, text = '', headers: Answer['headers'] = {}): Answer => ({ status, text, headers })

/** One call whose attempts have these outcomes in turn; the last one repeats. */
function callOf(outcomes: (Answer | Error)[], options: Partial<Attempts<unknown>> & { random?: () => number } = {}) {
  const clock = new VirtualClock()
  const sentAtMs: number[] = []
  const closing = new AbortController()
  const { random = () => 1, ...more } = options
  const result = attempt<unknown>(
    {
      endpoint: 'me.get',
      repeatable: true,
      retry: true,
      secrets: ['secret'],
      signal: undefined,
      closing: closing.signal,
      totalMs: 1e9,
      longestWaitMs: 1e9,
      send: async () => {
        const outcome = outcomes[Math.min(sentAtMs.length, outcomes.length - 1)]!
        sentAtMs.push(clock.monotonic())
        if (outcome instanceof Error) throw outcome
        return outcome
      },
      read: ({ text }) => {
        if (text === 'bad') throw new Unreadable('a bad body')
        if (text === 'fault') throw new TypeError('a fault of the reader')
        return text
      },
      refuse: ({ status }, retryAfterSeconds) =>
        new ServiceError('ERR_REFUSED', `refused ${status}`, { status, endpoint: 'me.get', retryAfterSeconds }),
      retryAfter: ({ headers }) => clampSeconds(headers['retry-after'], clock.now()),
      ...more,
    },
    clock,
    random,
  ).catch((error: unknown) => error)
  return { clock, closing, result, sentAtMs }
}

/** The signals of `AbortSignal.any` that follow this one. */
function dependents(signal: AbortSignal): unknown[] {
  const keys = Object.getOwnPropertySymbols(signal)
  const key = keys.find(({ description }) => description === 'kDependantSignals')
  return key ? [...(Reflect.get(signal, key) as Iterable<unknown>)] : []
}

const lost = new TransportFailure(
  'lost',
  true,
  'the connection broke',
  Object.assign(new Error('x'), { code: 'EPIPE' }),
)
const notSent = new TransportFailure('not_sent', false, 'no connection', new Error('x'))

test('a request that was never sent has removed nothing', async () => {
  const t = callOf([notSent, respond(404)], { removes: true })
  await t.clock.advance(60_000)
  expect(await t.result).toMatchObject({ status: 404 })
})

describe('waits between attempts', () => {
  test.each([
    [1, [0, 200, 600, 1400]],
    [0, [0, 100, 300, 700]],
  ])('double from 200 ms; half of each is random (%d)', async (random, atMs) => {
    const t = callOf([respond(503)], { random: () => random })
    await t.clock.advance(60_000)
    expect(t.sentAtMs).toEqual(atMs)
    expect(await t.result).toMatchObject({ code: 'ERR_NO_ANSWER', status: 503, endpoint: 'me.get' })
  })

  test('are as long as the service asks, at most three times', async () => {
    const t = callOf([respond(429, '', { 'retry-after': '7' })])
    await t.clock.advance(60_000)
    expect(t.sentAtMs).toEqual([0, 7000, 14_000, 21_000])
    expect(await t.result).toMatchObject({ status: 429, retryAfterSeconds: 7 })
  })

  test('do not begin when the time of the call is over', async () => {
    for (const [totalMs, attempts] of [
      [600, 3],
      [601, 4],
    ]) {
      const t = callOf([respond(503)], { totalMs: totalMs! })
      await t.clock.advance(60_000)
      await t.result
      expect(t.sentAtMs).toHaveLength(attempts!)
    }
  })

  test('the time for which the service asks is not part of the time of the call', async () => {
    const outcomes = [respond(429, '', { 'retry-after': '40' }), respond(503), respond(200, 'done')]
    const t = callOf(outcomes, { totalMs: 30_000 })
    await t.clock.advance(60_000)
    expect(await t.result).toBe('done')
    expect(t.sentAtMs).toEqual([0, 40_000, 40_200])
  })

  test('begin after `onWait`, and give up when the caller or the client stops', async () => {
    const waits: unknown[] = []
    let goOn!: () => void
    const onWait = (...wait: unknown[]) => {
      waits.push(wait)
      return waits.length === 1 ? new Promise<void>((resolve) => (goOn = resolve)) : undefined
    }
    const outcomes = [respond(503), respond(429, '', { 'retry-after': '2' }), respond(200, 'done')]
    const t = callOf(outcomes, { onWait })
    await t.clock.advance(10_000)
    expect(t.sentAtMs).toEqual([0])
    goOn()
    await t.clock.advance(10_000)
    expect(await t.result).toBe('done')
    expect(t.sentAtMs).toEqual([0, 10_200, 12_200])
    expect(waits).toEqual([
      [200, 'fault', 503],
      [2000, 'rate', 429],
    ])
    const caller = new AbortController()
    for (const stop of [caller, undefined]) {
      const stopped = callOf([respond(503)], { signal: caller === stop ? caller.signal : undefined })
      await stopped.clock.advance(50)
      ;(stop ?? stopped.closing).abort(new Error('stopped'))
      expect(await stopped.result).toMatchObject({ code: 'ERR_ABORTED', status: 0, cause: { message: 'stopped' } })
      expect(stopped.clock.waiting).toBe(0)
    }
  })

  // Node 20 keeps an entry for each signal of `AbortSignal.any` as long as its sources live.
  test('leave nothing at the signals, which live longer', async () => {
    const { signal } = new AbortController()
    for (const own of [signal, new AbortController().signal]) {
      const t = callOf([respond(503)], { signal: own, closing: signal })
      await t.clock.advance(60_000)
      expect(t.sentAtMs).toHaveLength(4)
    }
    expect([...dependents(signal), ...getEventListeners(signal, 'abort')]).toEqual([])
    const held = AbortSignal.any([signal])
    expect(dependents(signal)).toHaveLength(1)
    expect(held.aborted).toBe(false)
  })
})

describe('outcomes', () => {
  const once = { retry: false }
  test.each<[string, Answer | Error, Partial<Attempts<unknown>>, object]>([
    ['200', respond(200, 'x'), {}, {}],
    ['299', respond(299, 'x'), {}, {}],
    ['an unreadable body', respond(200, 'bad'), once, { code: 'ERR_BAD_ANSWER', status: 200 }],
    ['the same of a POST', respond(200, 'bad'), { repeatable: false }, { code: 'ERR_UNKNOWN_OUTCOME', status: 200 }],
    ['a fault of the reader', respond(200, 'fault'), {}, { name: 'TypeError' }],
    ['199', respond(199), {}, { code: 'ERR_BAD_ANSWER', status: 199 }],
    ['302', respond(302), {}, { code: 'ERR_BAD_ANSWER', status: 302 }],
    ['400', respond(400), {}, { code: 'ERR_REFUSED', status: 400 }],
    ['501', respond(501), {}, { code: 'ERR_REFUSED', status: 501 }],
    ['408', respond(408), once, { code: 'ERR_NO_ANSWER', status: 408 }],
    ['500 of a POST', respond(500), { repeatable: false }, { code: 'ERR_UNKNOWN_OUTCOME', status: 500 }],
    ['429 without a time', respond(429), {}, { code: 'ERR_REFUSED', status: 429 }],
    ['a lost connection of a GET', lost, once, { code: 'ERR_NO_ANSWER', status: 0 }],
    ['a lost connection of a POST', lost, { repeatable: false }, { code: 'ERR_UNKNOWN_OUTCOME', status: 0 }],
    ['no connection of a POST', notSent, { ...once, repeatable: false }, { code: 'ERR_NO_ANSWER', status: 0 }],
    ['aborted', new TransportFailure('aborted', true, 'x'), {}, { code: 'ERR_ABORTED', status: 0 }],
    ['too large, of a GET', new TransportFailure('too_large', true, 'x'), {}, { code: 'ERR_BAD_ANSWER', status: 0 }],
    [
      'too large, of a POST',
      new TransportFailure('too_large', true, 'x'),
      { repeatable: false },
      { code: 'ERR_UNKNOWN_OUTCOME' },
    ],
    ['a fault of the sender', new RangeError('x'), {}, { name: 'RangeError' }],
  ])('%s is final', async (_, outcome, options, expected) => {
    const t = callOf([outcome], options)
    await t.clock.advance(60_000)
    const result = await t.result
    if (Object.keys(expected).length === 0) expect(result).toBe('x')
    else expect(result).toMatchObject(expected)
    expect(t.sentAtMs).toHaveLength(1)
  })

  test('messages name the endpoint, the fact and the system’s code', async () => {
    const messageOf = async (outcome: Answer | Error, options: Partial<Attempts<unknown>> = once) =>
      ((await callOf([outcome], options).result) as Error).message
    expect(await messageOf(lost)).toBe('me.get: the connection broke (EPIPE)')
    expect(await messageOf(notSent)).toBe('me.get: no connection')
    expect(await messageOf(respond(503))).toBe('me.get: the service answered 503')
    expect(await messageOf(respond(200, 'bad'))).toBe('me.get: the service answered 200 with a bad body')
    expect(lost).toMatchObject({ name: 'TransportFailure', kind: 'lost', left: true, message: 'the connection broke' })
  })

  test('a cause with a secret is dropped', async () => {
    const causeOf = async (text: string) =>
      ((await callOf([new TransportFailure('lost', true, 'x', new Error(text))], once).result) as Error).cause
    expect(await causeOf('harmless')).toEqual(new Error('harmless'))
    expect(await causeOf('a secret')).toBeUndefined()
  })
})

test.each<[unknown, number | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['7 apples', undefined],
  ['0.5', 1],
  ['86400', 86_400],
  ['86401', 86_400],
  ['+7', 7],
  ['1e1', 10],
  [7, 7],
  [['8', '9'], 8],
  [' 7 , 9', 7],
  ['2026', 2026],
  ['1970-01-01T00:01:40Z', 100],
  ['1970-01-01', undefined],
  ['1970-99-99T00:00:00Z', undefined],
  [`${' '.repeat(101)}7`, undefined],
  [`${' '.repeat(99)}7`, 7],
])('Retry-After %j is %j seconds', (value, seconds) => {
  expect(clampSeconds(value, 0)).toBe(seconds)
})
