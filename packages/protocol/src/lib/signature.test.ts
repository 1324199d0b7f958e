import { expect, test } from 'vitest'
import { eventWebhookHeaders, signEventWebhook, verifyEventWebhook } from './signature.ts'

const secret = 'key'
const body = Buffer.from('The quick brown fox jumps over the lazy dog')
// A published test vector, not one computed by this code.
const known = 'sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8'

test('signs as specified: sha256= and the hex HMAC-SHA256 of the raw body (§4)', () => {
  expect(signEventWebhook(secret, body)).toBe(known)
  expect(signEventWebhook(secret, body.toString())).toBe(known)
  expect(verifyEventWebhook(secret, body, known)).toBe(true)
  expect(eventWebhookHeaders).toEqual({ bot: 'x-service-bot', signature: 'x-service-signature' })
})

test.each<[string, string | undefined]>([
  ['a changed first digit', known.replace('=f', '=e')],
  ['a changed last digit', `${known.slice(0, -1)}9`],
  ['upper-case hex', `sha256=${known.slice(7).toUpperCase()}`],
  ['an upper-case prefix', known.replace('sha256', 'SHA256')],
  ['another algorithm', known.replace('sha256', 'sha1')],
  ['no prefix', known.slice(7)],
  ['the prefix alone', 'sha256='],
  ['an empty header', ''],
  ['no header', undefined],
  ['one digit too many', `${known}0`],
  ['one digit too few', known.slice(0, -1)],
  ['a space before', ` ${known}`],
  ['a line end after', `${known}\n`],
  ['letters that take two bytes', `sha256=${'é'.repeat(64)}`],
])('refuses %s', (_, signature) => {
  expect(verifyEventWebhook(secret, body, signature)).toBe(false)
})

test('refuses a body with a single changed bit, at any position', () => {
  for (let bit = 0; bit < body.length * 8; bit++) {
    const changed = Buffer.from(body)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(verifyEventWebhook(secret, changed, known), `bit ${bit}`).toBe(false)
  }
})

test('refuses the signature of another secret', () => {
  expect(verifyEventWebhook('Key', body, known)).toBe(false)
})

test('throws for an empty secret, which would let anyone sign', () => {
  expect(() => verifyEventWebhook('', body, signEventWebhook('', body))).toThrow(/BOT_WEBHOOK_SECRET/)
})
