import { expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { ConfigInput, FilledConfig } from '../author/config/config.ts'
import type { Config as Schema } from '../runtime/config/config-schema.ts'
import { defineConfig } from '../author/config/config.ts'
import { readConfig } from '../runtime/config/read-config.ts'

const serverId = '0194f3a0-1234-7abc-8def-0123456789ab'

test('the types of the configuration match the schema', () => {
  expectTypeOf<ConfigInput>().toEqualTypeOf<z.input<typeof Schema>>()
  expectTypeOf<FilledConfig>().toEqualTypeOf<Omit<z.output<typeof Schema>, 'env' | 'plugins'>>()
  expect(defineConfig({})).toEqual({})
})

test('every field is optional', async () => {
  expect(await readConfig({})).toEqual(await readConfig(undefined))
  expect(await readConfig(undefined)).toEqual({
    delivery: 'poll',
    start: 'now',
    limits: { handlerSeconds: 60, graceSeconds: 10, waiting: 1000, workers: 1 },
    answerBots: false,
    help: true,
    tracing: false,
    http: { port: 8789, host: '127.0.0.1' },
    webhook: { port: 8788, host: '127.0.0.1', path: '/' },
  })
})

test.each([
  [{ limits: { handlerSeconds: 0 } }, 'bot.config.ts: limits.handlerSeconds must be at least 1'],
  [{ limits: 5 }, 'bot.config.ts: limits must be an object'],
  [{ delivery: 'push' }, "bot.config.ts: delivery must be 'poll' or 'webhook' or 'both'"],
  [{ limits: { handlers: 5 } }, 'bot.config.ts: unknown field limits.handlers; remove it or correct its spelling'],
  [
    { messageBudget: true },
    'bot.config.ts: messageBudget must be false or { requests, seconds }, both whole numbers of at least 1',
  ],
  [
    { catchUp: { message: 'soon' } },
    "bot.config.ts: catchUp.message must be 'all', a duration such as 10s, 1m 30s, 2h, 1d or 1w, or a number of milliseconds",
  ],
  [
    { catchUp: { interaction: -1 } },
    "bot.config.ts: catchUp.interaction must be 'all', 'open' (while the click may be answered), a duration such as 10s, 1m 30s, 2h, 1d or 1w, or a number of milliseconds",
  ],
  [{ catchUp: { mesage: '2m' } }, 'bot.config.ts: unknown field catchUp.mesage; did you mean catchUp.message?'],
  [{ health: {} }, 'bot.config.ts: health.port must be a number'],
  [
    { quietHours: { from: '10 pm', until: '07:00' } },
    "bot.config.ts: quietHours.from must be a time of day such as '22:00'",
  ],
  [
    { quietHours: { from: '07:00', until: '07:00' } },
    "bot.config.ts: quietHours must have two different times: { from: '22:00', until: '07:00' }",
  ],
  [
    { quietHours: { from: '07:00' } },
    "bot.config.ts: quietHours must have two different times: { from: '22:00', until: '07:00' }",
  ],
  [
    { quietHours: { from: '22:00', until: '07:00', timezone: 'Berlin' } },
    "bot.config.ts: quietHours.timezone must be a time zone such as 'Europe/Berlin', or the variable that contains one: { env: 'TEAM_ZONE' }",
  ],
  [
    { quietHours: { servers: { [serverId]: { from: '22:00' } } } },
    `bot.config.ts: quietHours.servers.${serverId} must have two different times: { from: '22:00', until: '07:00' }`,
  ],
  [
    { quietHours: { servers: { Workshop: false } } },
    'bot.config.ts: quietHours.servers.Workshop is not the id of a server: use its id, such as 0194f3a0-1234-7abc-8def-0123456789ab',
  ],
  [{ quietHours: 5 }, 'bot.config.ts: quietHours must be an object'],
  ['x', 'bot.config.ts: must export an object: export default defineConfig({ … })'],
])('rejects %j', async (value, message) => {
  await expect(readConfig(value)).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFIG', message }))
})

test('an invalid catchUp limit does not compile, and all valid kinds are read', async () => {
  // @ts-expect-error only clicks can be open
  defineConfig({ catchUp: { message: 'open' } })
  // @ts-expect-error not a duration
  defineConfig({ catchUp: { default: 'soon' } })
  // @ts-expect-error not an event type
  defineConfig({ catchUp: { mesage: '2m' } })
  const catchUp = { message: '1m 30s', interaction: 'open', unknown: 500, default: 'all' } as const
  expect(await readConfig(defineConfig({ catchUp }))).toMatchObject({
    catchUp: { ...catchUp, message: 90_000 },
  })
})

test.each([
  [{ helth: { port: 9090 } }, 'bot.config.ts: unknown field helth; did you mean health?'],
  [
    { limits: { handlerSecond: 5 } },
    'bot.config.ts: unknown field limits.handlerSecond; did you mean limits.handlerSeconds?',
  ],
  [{ zzz: 1 }, 'bot.config.ts: unknown field zzz; remove it or correct its spelling'],
  [
    { helth: {}, zzz: 1 },
    'bot.config.ts: unknown field helth; did you mean health?\nbot.config.ts: unknown field zzz; remove it or correct its spelling',
  ],
])('a misspelled field gets a suggestion: %j', async (config, message) => {
  await expect(readConfig(config, 'bot.config.ts')).rejects.toMatchObject({ code: 'ERR_CONFIG', message })
})
