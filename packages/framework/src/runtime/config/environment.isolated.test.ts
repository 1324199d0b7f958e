import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { defineConfig } from '../../author/config/config.ts'
import { readConfig } from './read-config.ts'
import { createLog } from '../../program/log.ts'
import { hiddenValues } from '../../link/redaction.ts'
import type { EnvOf } from '../../author/env-schema.ts'

const config = defineConfig({
  env: z.object({
    API_KEY: z.string().min(10),
    REGION: z.enum(['eu', 'us']).default('eu'),
    MOST: z.coerce.number().optional(),
    FRONT: z.url().meta({ public: true }).optional(),
  }),
})
const key = 'key-of-the-weather'

test('checks and types the declared variables and returns their values', async () => {
  const { env } = await readConfig(config, 'bot.config.ts', { API_KEY: key, MOST: '3', OTHER: 'x', REGION: '' })
  expect(env).toEqual({ API_KEY: key, REGION: 'eu', MOST: 3 })
  expectTypeOf<EnvOf<{ default: typeof config }>>().toEqualTypeOf<
    Readonly<{ API_KEY: string; REGION: 'eu' | 'us'; MOST?: number | undefined; FRONT?: string | undefined }>
  >()
  // @ts-expect-error env must be an object schema
  await expect(readConfig(defineConfig({ env: z.string() }))).rejects.toThrow(
    'bot.config.ts: env must be z.object({ … }), with a field for each variable',
  )
  // @ts-expect-error the other fields are still checked
  defineConfig({ env: z.object({}), delievry: 'poll' })
})

test('requires no variables in a build, because the bot runs elsewhere', async () => {
  expect(await readConfig(config)).not.toHaveProperty('env')
})

test('reports every invalid variable with its name and the fix, but without its value', async () => {
  const wrong = readConfig(config, 'bot.config.ts', { REGION: 'moon-base', MOST: 'many-many' })
  const error = await wrong.catch((reason: unknown) => reason as Error)
  expect(error).toMatchObject({ code: 'ERR_CONFIG' })
  const { message } = error as Error
  expect(message.split('\n')).toEqual([
    'API_KEY is not set: add API_KEY=… to .env (bot.config.ts declares it in env)',
    expect.stringMatching(/^REGION does not match env in bot\.config\.ts \(.*"eu"\|"us".*\): correct it in \.env$/),
    expect.stringMatching(/^MOST does not match env in bot\.config\.ts \(.*\): correct it in \.env$/),
  ])
  expect(message).not.toMatch(/moon-base|many-many/)
})

test('hides the value that the message of a custom rule quotes', async () => {
  const quoting = z.object({
    API_KEY: z.string().refine(() => false, { error: ({ input }) => `${String(input)} is no key` }),
  })
  await expect(readConfig({ env: quoting }, 'bot.config.ts', { API_KEY: key })).rejects.toThrow(
    'API_KEY does not match env in bot.config.ts (… is no key): correct it in .env',
  )
})

test.each([
  ['a function', z.object({ A: z.string().transform((text) => () => text) }), 'env: A has a value that cannot'],
  ['a promise', z.object({ A: z.string().refine(async () => true) }), 'use a schema without promises'],
])('rejects %s as a value', async (_what, env, message) => {
  await expect(readConfig({ env }, 'bot.config.ts', { A: 'abc' })).rejects.toThrow(message)
})

test('hides values in the log, unless they are marked as public or very short', async () => {
  const variables = { API_KEY: key, REGION: 'us', FRONT: 'https://weather.example' }
  const { hiddenEnv } = await readConfig(config, 'bot.config.ts', variables)
  const lines: string[] = []
  const log = createLog({ secrets: hiddenValues(hiddenEnv, variables), write: (line) => lines.push(line) })
  log.info({ at: 'https://weather.example' }, `asking us with ${key}`)
  expect(lines.join('')).toContain('asking us with [secret]')
  expect(lines.join('')).toContain('https://weather.example')
})

test.each(['inline', 'worker'] as const)('passes the variables to handlers of every kind (%s)', async (dispatcher) => {
  await using rig = await ChatRig.start()
  const index = JSON.stringify(join(import.meta.dirname, '../../../dist/index.js'))
  const files = {
    'commands/key.ts': `export default (ctx) => [ctx.env.API_KEY, ctx.env.REGION, Object.isFrozen(ctx.env)].join(' ')`,
    'events/ready.ts': `export default (ctx) => ctx.log.info({}, 'region ' + ctx.env.REGION)`,
    'events/message.ts': `import { event } from ${index}\nexport default event('message', (ctx) => 'heard in ' + ctx.env.REGION)`,
  }
  await rig.startBot(files, { config, dispatcher, variables: { API_KEY: key } })
  await rig.says('ann', '/key')
  await rig.says('ann', 'hello')
  await rig.until(async () => (await rig.texts()).length === 4)
  expect(await rig.texts()).toEqual(expect.arrayContaining([`${key} eu true`, 'heard in eu']))
  expect(rig.logged('info')).toContain('region eu')
})
