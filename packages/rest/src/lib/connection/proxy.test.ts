import { expect, test } from 'vitest'
import { proxyFor } from './proxy.ts'

const secret = 'pass-7f3a'
const HTTPS_PROXY = `http://me:${secret}@proxy.example:3128/`

test.each([
  ['https://chat.example', { HTTPS_PROXY }, 'HTTPS_PROXY http://proxy.example:3128'],
  ['https://chat.example', { https_proxy: 'https://other.example', HTTPS_PROXY }, 'https_proxy https://other.example'],
  ['https://chat.example', { https_proxy: '', HTTPS_PROXY }, undefined],
  ['https://chat.example', { HTTP_PROXY: HTTPS_PROXY }, undefined],
  ['http://chat.example:8080', { HTTP_PROXY: ' http://[::1]:80 ' }, 'HTTP_PROXY http://[::1]'],
  ['http://chat.example', { http_proxy: 'http://10.0.0.1:3128' }, 'http_proxy http://10.0.0.1:3128'],
  ['https://chat.example', {}, undefined],
])('%s with %o: %s', (address, env, expected) => {
  const proxy = proxyFor(address, env)
  expect(proxy && `${proxy.variable} ${proxy.origin}`).toBe(expected)
})

test.each([
  'localhost',
  'LOCALHOST.',
  'chat.localhost',
  '127.0.0.1',
  '127.9.8.7',
  '0x7f.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
])('%s never goes through a proxy', (host) => {
  expect(proxyFor(`https://${host}:7420`, { HTTPS_PROXY })).toBeUndefined()
  expect(proxyFor(`http://${host}`, { HTTP_PROXY: 'no proxy' })).toBeUndefined()
})

test.each(['localhost.example', '127.0.0.1.example', '128.0.0.1', '[::2]'])('%s is another machine', (host) =>
  expect(proxyFor(`https://${host}`, { HTTPS_PROXY })).toBeDefined(),
)

test.each([
  ['chat.example', 'https://chat.example', true],
  ['other.example, .Example', 'https://chat.example', true],
  ['*.example', 'https://chat.example', true],
  ['a *', 'https://chat.example', true],
  ['hat.example', 'https://chat.example', false],
  ['chat.example.org,,', 'https://chat.example', false],
  ['chat.example:443', 'https://chat.example', true],
  ['chat.example:443', 'https://chat.example:8443', false],
  ['chat.example:80', 'https://chat.example', false],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['2001:db8::1', 'https://[2001:db8::1]', true],
  ['[2001:db8::1]:443', 'https://[2001:db8::1]', true],
  ['', 'https://chat.example', false],
])('NO_PROXY=%s at %s: %s', (list, address, excepted) => {
  expect(proxyFor(address, { HTTPS_PROXY, NO_PROXY: list }) === undefined).toBe(excepted)
  expect(proxyFor(address, { HTTPS_PROXY, no_proxy: list, NO_PROXY: 'chat.example' }) === undefined).toBe(excepted)
})

test.each([
  [`${secret}.proxy.example:3128`, /^HTTPS_PROXY is not an http or https URL: set it to the URL of the proxy/],
  [`socks5://me:${secret}@proxy.example`, /^HTTPS_PROXY is not an http or https URL/],
  [`http://me:${secret}@proxy.example:99999`, /^HTTPS_PROXY is not an http or https URL/],
  [`http://${secret}`.replace('//', '// '), /^HTTPS_PROXY is not an http or https URL/],
  [
    `http://me:${secret}%@proxy.example`,
    /^HTTPS_PROXY has a "%" in its user name or password .*: write each "%" as %25/,
  ],
])('%s is refused by an error that names the variable and not its value', (value, text) => {
  const refused = () => proxyFor('https://chat.example', { HTTPS_PROXY: value })
  expect(refused).toThrow(expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringMatching(text) }))
  expect(refused).not.toThrow(secret)
})

test.each([
  ['http://me:p%40ss@proxy.example', 'me:p@ss'],
  ['http://me@proxy.example', 'me:'],
])('%s has the credentials %s', (value, credentials) => {
  const { authorization = '' } = proxyFor('https://chat.example', { HTTPS_PROXY: value }) ?? {}
  expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe(credentials)
})
