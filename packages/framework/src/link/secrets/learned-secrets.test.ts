import { expect, test } from 'vitest'
import { channelWebhook } from '../../bot/channel-webhook.ts'
import { hideFromNow, hideTokenOf } from './learned-secrets.ts'
import { createRedactor } from './log-redact.ts'

const click = (token: unknown) => hideTokenOf({ type: 'interaction', data: { token } })

test('the tokens of the newest clicks are hidden from lines that were begun before they came', () => {
  const redact = createRedactor([])
  click('token-of-the-first-click')
  expect(redact('{"a":"<token-of-the-first-click>"}')).toBe('{"a":"<[secret]>"}')
  // They are not kept for ever: a token is good for 15 minutes.
  for (let i = 0; i < 20_000; i++) click(`token-number-${i}`)
  expect(redact('token-of-the-first-click token-number-19999')).toBe('token-of-the-first-click [secret]')
})

test.each([undefined, null, 7, {}, '', 'short', '\ud800 half a character'])(
  'a click may bring anything for its token: %j',
  (token) => {
    click(token)
    expect(createRedactor([])('a short line')).toBe('a short line')
  },
)

test('only clicks bring tokens', () => {
  hideTokenOf({ type: 'message', data: { token: 'what-somebody-wrote' } })
  expect(createRedactor([])('what-somebody-wrote')).toBe('what-somebody-wrote')
})

test('a secret is hidden as it stands in JSON, in JSON within JSON, and in an address', () => {
  const secret = 'with "quotes"/and more'
  hideFromNow(secret, undefined)
  const line = JSON.stringify({ text: JSON.stringify({ secret }), url: `http://h/${encodeURIComponent(secret)}` })
  expect(createRedactor([])(line)).toBe('{"text":"{\\"secret\\":\\"[secret]\\"}","url":"http://h/[secret]"}')
})

test('what a channel webhook is opened with is hidden, also where its address is not', () => {
  channelWebhook('http://h/webhooks/00000000-0000-4000-8000-000000000001/the-end-of-the-address?wait=true')
  expect(createRedactor([])('refused the-end-of-the-address')).toBe('refused [secret]')
})
