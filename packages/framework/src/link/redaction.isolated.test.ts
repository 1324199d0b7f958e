import { expect, test } from 'vitest'
import { channelWebhook } from '../features/channel-webhooks/channel-webhook.ts'
import { createRedactor, filterOutput, hiddenValues, hideFromNow, hideTokenOf, secretsOfEnv } from './redaction.ts'

const click = (token: unknown) => hideTokenOf({ type: 'interaction', data: { token } })

test('hides the tokens of the newest clicks, including those that arrive after the redactor was created', () => {
  const redact = createRedactor([])
  click('token-number-00001')
  expect(redact('{"a":"<token-number-00001>"}')).toBe('{"a":"<[secret]>"}')
  // Memory is bounded: a token is valid for 15 minutes only.
  for (let i = 10_000; i < 30_000; i++) click(`token-number-${i}`)
  expect(redact('token-number-00001 token-number-29999')).toBe('token-number-00001 [secret]')
})

test.each([undefined, null, 7, {}, '', 'short', '\ud800 half a character'])(
  'ignores a click with an invalid token: %j',
  (token) => {
    click(token)
    expect(createRedactor([])('a short line')).toBe('a short line')
  },
)

test('hides each of many secrets wherever it begins, also next to another one', () => {
  const seed = Number(process.env['SEED'] ?? 1)
  let state = seed
  const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below
  const word = (length: number) => Array.from({ length }, () => 'abcäAB01-'[random(9)]).join('')
  const secrets = Array.from({ length: 200 }, () => `s${word(9 + random(60))}e`)
  for (const secret of secrets)
    if (random(2) === 0) click(secret)
    else hideFromNow(secret)
  const redact = createRedactor([])
  for (let i = 0; i < 500; i++) {
    const parts = Array.from({ length: 1 + random(4) }, () =>
      random(2) === 0 ? { secret: secrets[random(200)]! } : { plain: `.${word(random(30))}.` },
    )
    const text = parts.map(({ secret, plain }) => secret ?? plain).join('')
    const clean = redact(text)
    for (const { secret, plain } of parts)
      if (secret === undefined) expect(clean, `seed ${seed}: ${text}`).toContain(plain)
      else expect(clean, `seed ${seed}: ${text}`).not.toContain(secret)
  }
})

test('hides the tokens of clicks only', () => {
  hideTokenOf({ type: 'message', data: { token: 'what-somebody-wrote' } })
  expect(createRedactor([])('what-somebody-wrote')).toBe('what-somebody-wrote')
})

test.each(['configured', 'learned'])('hides a %s secret in its exact, JSON-escaped and URL-encoded forms', (origin) => {
  const secret = `${origin} "quotes"/\\and more`
  if (origin === 'learned') hideFromNow(secret, undefined)
  const redact = createRedactor(origin === 'learned' ? [] : [secret])
  expect(redact(`<${secret}>`)).toBe('<[secret]>')
  expect(redact(JSON.stringify({ text: `a ${secret} b` }))).toBe('{"text":"a [secret] b"}')
  // A log line is JSON, and an error in it may quote a body, which is JSON too.
  expect(redact(JSON.stringify({ error: JSON.stringify([secret]) }))).toBe('{"error":"[\\"[secret]\\"]"}')
  expect(redact(`http://h/${encodeURIComponent(secret)}`)).toBe('http://h/[secret]')
})

test('hides a token, which needs no escaping, in JSON of any depth', () => {
  const redact = createRedactor(['token-of-the-bot'])
  const line = JSON.stringify({ error: JSON.stringify({ body: JSON.stringify({ sent: 'token-of-the-bot' }) }) })
  expect(redact(line)).toBe(line.replace('token-of-the-bot', '[secret]'))
})

test('hides the whole of the longer secret if two secrets share a prefix', () => {
  expect(createRedactor(['secret-one', 'secret-one-and-two'])('secret-one-and-two')).toBe('[secret]')
})

test('hides declared values of at least 8 characters, whatever the name of their variable', () => {
  const variables = { REGION: 'eu-west', CUSTOMER: 'customer-17', OTHER: 'not-declared' }
  expect(hiddenValues(['REGION', 'CUSTOMER', 'MISSING'], variables)).toEqual(['customer-17'])
})

test('filters everything that the process prints, as text and as bytes', () => {
  const { write } = process.stdout
  const errorWrite = process.stderr.write
  const printed: unknown[] = []
  try {
    process.stdout.write = process.stderr.write = (chunk: unknown) => printed.push(chunk) > 0
    filterOutput(process, (text) => text.replace('password', '[secret]'))
    process.stdout.write('a password')
    process.stderr.write(Buffer.from('a password'))
    process.stderr.write(Buffer.from([255, 254]))
  } finally {
    process.stdout.write = write
    process.stderr.write = errorWrite
  }
  expect(printed).toEqual(['a [secret]', 'a [secret]', Buffer.from([255, 254])])
})

test('hides the secret part of a channel webhook URL, even without the rest of the URL', () => {
  channelWebhook('http://h/webhooks/00000000-0000-4000-8000-000000000001/the-end-of-the-address?wait=true')
  expect(createRedactor([])('refused the-end-of-the-address')).toBe('refused [secret]')
})

test('finds secrets of the environment by variable name, and passwords in URLs', () => {
  const env = {
    OPENAI_APIKEY: 'key-of-openai',
    SMTP_PASS: 'pass-of-smtp',
    DB_PWD: 'pwd-of-the-db',
    MYSQL_PASSWD: 'passwd-of-mysql',
    SESSION_COOKIE: 'cookie-of-the-session',
    DATABASE_URL: 'postgres://bot:p%40ss-of-postgres@db/bot',
    PWD: '/srv/bot',
    KEYBOARD: 'qwertz-layout',
    PAGE: 'https://example.com/ann@home',
  }
  const text = `${Object.values(env).join(' ')} p@ss-of-postgres`
  expect(createRedactor(secretsOfEnv(env))(text)).toBe(
    '[secret] [secret] [secret] [secret] [secret] postgres://bot:[secret]@db/bot /srv/bot qwertz-layout https://example.com/ann@home [secret]',
  )
})
