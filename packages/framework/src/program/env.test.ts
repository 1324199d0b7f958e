import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig, withOverrides } from '../runtime/config/read-config.ts'
import { readEnv, readEnvFile, readPorts } from './env.ts'

const good = { BOT_TOKEN: 'token-of-mine', BOT_BASE_URL: 'http://127.0.0.1:7420/v1/' }

test('reads a complete environment and removes the trailing slash of the URL', () => {
  expect(readEnv({ ...good, BOT_WEBHOOK_SECRET: ' shh ', LOG_LEVEL: 'debug' })).toEqual({
    token: 'token-of-mine',
    baseUrl: 'http://127.0.0.1:7420/v1',
    webhookSecret: 'shh',
    logLevel: 'debug',
  })
})

test('accepts a token that begins with "Bot"', () => {
  expect(readEnv({ ...good, BOT_TOKEN: 'Botany-7f3a' }).token).toBe('Botany-7f3a')
})

test.each([
  [{ BOT_TOKEN: 'Bot' }, /^BOT_TOKEN contains a space or the word "Bot"/],
  [{ BOT_TOKEN: '' }, /^BOT_TOKEN is not set: copy/],
  [{ BOT_TOKEN: 'Bot secret-value' }, /^BOT_TOKEN contains a space or the word "Bot"/],
  [{ BOT_BASE_URL: undefined }, /^BOT_BASE_URL is not set: set/],
  [{ BOT_BASE_URL: 'ftp://x/v1' }, /^BOT_BASE_URL is not an http or https URL/],
  [
    { BOT_BASE_URL: 'http://host/api' },
    /^BOT_BASE_URL must end in the version of the interface \(interface §9\): use http:\/\/host\/api\/v1/,
  ],
  [{ BOT_BASE_URL: 'http://me:secret-value@host/v1' }, /^BOT_BASE_URL must be a plain URL/],
])('%o is refused, naming the variable and the fix', (change, text) => {
  const refused = () => readEnv({ ...good, ...change })
  expect(refused).toThrow(text)
  expect(refused).not.toThrow(/secret-value/)
})

test.each([
  ['BOT_HEALTH_PORT', 'healthPort'],
  ['BOT_HTTP_PORT', 'httpPort'],
])('%s is a number from 0 to 65535', (name, field) => {
  expect(readPorts({})).toEqual({})
  expect(readPorts({ [name]: ' 9090 ' })).toEqual({ [field]: 9090 })
  expect(readEnv({ ...good, [name]: '0' })).toMatchObject({ [field]: 0 })
  for (const port of ['99999', '-1', '1.5', 'x', '0x10', '1e3', '80.0'])
    expect(() => readPorts({ [name]: port })).toThrow(`${name} is not a port: set it to a number`)
})

test('the port of a variable overrides that of bot.config.ts', async () => {
  const of = async (config: object, port?: number) => withOverrides(await readConfig(config), { httpPort: port }).http
  expect(await of({ http: { port: 3000, host: '0.0.0.0' } }, 4000)).toEqual({ port: 4000, host: '0.0.0.0' })
  expect(await of({ http: false }, 4000)).toEqual({ port: 4000, host: '127.0.0.1' })
  expect(await of({ http: false })).toBe(false)
})

test.each([
  ['lines that end as on old Macs', 'B=1\rA=x\r'],
  ['two byte order marks', '\ufeff\ufeffA=x\n'],
  ['the byte order mark of an appended file', 'B=1\n\ufeffA=x\r\n'],
])('a .env with %s has its variables', (_what, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, '.env'), text)
  expect(readEnvFile(folder)).toMatchObject({ A: 'x' })
})
