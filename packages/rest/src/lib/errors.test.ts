import { expect, test } from 'vitest'
import { aborted, cleanCause, redact, refusal, ServiceError } from './errors.ts'
import { refuse } from './refuse.ts'
import { planOf } from './request.ts'

test('an error has only the facts that it was given', () => {
  const facts = { status: 429, endpoint: 'me.get' }
  const bare = new ServiceError('ERR_RATE_LIMITED', 'text', facts)
  expect({ ...bare }).toEqual({ code: 'ERR_RATE_LIMITED', name: 'ServiceError', ...facts })
  expect('cause' in bare).toBe(false)
  const cause = new Error('why')
  const full = new ServiceError('ERR_RATE_LIMITED', 'text', { ...facts, retryAfterSeconds: 0, webhookCode: 5, cause })
  expect(full).toMatchObject({ message: 'text', retryAfterSeconds: 0, webhookCode: 5, cause })
  expect(aborted('me.get')).toMatchObject({ code: 'ERR_ABORTED', status: 0, endpoint: 'me.get' })
})

test.each<[number, string, number | undefined, string, string]>([
  [400, 'no', undefined, 'ERR_REFUSED', 'me.get: the service answered 400: no'],
  [
    401,
    'no',
    undefined,
    'ERR_UNAUTHORIZED',
    'me.get: the service answered 401: no; set BOT_TOKEN to the token of this bot',
  ],
  [403, 'no', undefined, 'ERR_FORBIDDEN', 'me.get: the service answered 403: no'],
  [404, '', undefined, 'ERR_REFUSED', 'me.get: the service answered 404: not found, or not visible to the bot'],
  [418, '', undefined, 'ERR_REFUSED', 'me.get: the service answered 418: no reason given'],
  [429, 'no', 5, 'ERR_RATE_LIMITED', 'me.get: the service answered 429: no'],
  [
    429,
    'no',
    undefined,
    'ERR_RATE_LIMITED',
    'me.get: the service answered 429: no; waiting does not help (no Retry-After)',
  ],
])('a refusal with %d %j has its code and its reason', (status, text, seconds, code, message) => {
  const error = refusal('me.get', status, text, seconds)
  expect(error).toMatchObject({ code, message, status, endpoint: 'me.get' })
  expect(error.retryAfterSeconds).toBe(seconds)
})

test('the reason of a refusal is the text in its body, if it has one', () => {
  const reasonOf = (text: string) =>
    refuse(planOf('me.get', ''), {}, { status: 400, text, headers: {} }, { secrets: ['canary'], seconds: undefined })
      .message
  const reason = 'me.get: the service answered 400: '
  expect(reasonOf('{"error":"bad canary"}')).toBe(`${reason}bad ***`)
  for (const none of ['', '{}', '{"error":5}', '[]', 'null', '<html>', '{"err'])
    expect(reasonOf(none)).toBe(`${reason}bad input; see the message for details`)
})

test('a click that is unknown or has expired has its own code', () => {
  const errorOf = (name: string, error: string, status = 404, input = {}) =>
    refuse(
      planOf(name, ''),
      input,
      { status, text: JSON.stringify({ error }), headers: {} },
      { secrets: [], seconds: undefined },
    )
  const callback = 'interactions.callback'
  expect(errorOf(callback, 'it has Expired')).toMatchObject({
    code: 'ERR_INTERACTION_EXPIRED',
    message: expect.stringMatching(/: it has Expired$/),
    status: 404,
    endpoint: callback,
  })
  expect(errorOf(callback, 'what?').code).toBe('ERR_INTERACTION_UNKNOWN')
  expect(errorOf(callback, '').message).toMatch(/wrong interaction token$/)
  expect(errorOf(callback, 'it has expired', 400).code).toBe('ERR_REFUSED')
  expect(errorOf('me.get', 'it has expired').code).toBe('ERR_REFUSED')
  // The clicked message is gone, not the click [decisions/49].
  const update = { type: 'update' }
  expect(errorOf(callback, 'message not found', 404, update).code).toBe('ERR_REFUSED')
  expect(errorOf(callback, 'message not found', 404, { type: 'reply' }).code).toBe('ERR_INTERACTION_UNKNOWN')
  expect(errorOf(callback, 'interaction of this message not found', 404, update).code).toBe('ERR_INTERACTION_UNKNOWN')
})

test('a refusal of more commands than one of the two limits names both', () => {
  const messageOf = (name: string, count: number, status = 400) =>
    refuse(
      planOf(name, ''),
      { commands: Array(count).fill({}) },
      { status, text: '', headers: {} },
      { secrets: [], seconds: undefined },
    ).message
  expect(messageOf('commands.replace', 51)).toMatch(/\(51 commands were sent; .* both 50 and 100 .* at most 50\)$/)
  expect(messageOf('commands.replace', 50)).not.toContain('commands were sent')
  expect(messageOf('commands.replace', 51, 403)).not.toContain('commands were sent')
  expect(messageOf('me.get', 51)).not.toContain('commands were sent')
})

test('secrets are removed from texts, also where they are encoded, and texts are shortened', () => {
  expect(redact('a s/1 b s%2F1', ['', 's/1'])).toBe('a *** b ***')
  expect(redact('/interactions/5/token/callback', [])).toBe('/interactions/5/***/callback')
  expect(redact('sent Bot abcdefgh-1 and Bot a', [])).toBe('sent Bot *** and Bot a')
  expect(redact('x'.repeat(500), [])).toBe('x'.repeat(500))
  expect(redact('x'.repeat(501), [])).toBe(`${'x'.repeat(500)}…`)
})

test('a cause with a secret is dropped, however deep and long', () => {
  const secrets = ['canary']
  expect(cleanCause(undefined, secrets)).toBeUndefined()
  const harmless = { a: 1 }
  expect(cleanCause(harmless, secrets)).toBe(harmless)
  const deep = [0, 1, 2, 3, 4, 5, 6, 7, 8].reduce<unknown>((inner) => ({ inner }), 'canary')
  for (const cause of [new Error('canary'), deep, `${'x'.repeat(20_000)}canary`, [...Array(200).fill(0), 'canary']])
    expect(cleanCause(cause, secrets)).toBeUndefined()
})

test('a long text of the service is cut between its characters', () => {
  expect(redact('😀'.repeat(600), [])).toBe(`${'😀'.repeat(500)}…`)
  expect(redact(`a${'😀'.repeat(600)}`, [])).not.toMatch(/\p{Surrogate}/u)
})

test.each(['messages.creat', 'toString', ''])('"%s" is not an endpoint', (name) => {
  expect(() => planOf(name, '')).toThrow(`${name}: is not an endpoint of the bot interface`)
})
