import { expect, test } from 'vitest'
import { z } from 'zod'
import { noOptions } from '../../author/plugins/plugin.ts'
import { defineConfig } from '../../author/config/config.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import { plugin } from '../../author/plugins/plugin.ts'

const counting = plugin({
  url: import.meta.url,
  options: z.strictObject({ channel: z.string().min(1), start: z.number().int().default(1) }),
})
const bare = plugin({ url: import.meta.url })

test("validates a plugin's options with its schema and adds their defaults to the configuration", async () => {
  const config = await readConfig(
    defineConfig({ plugins: { counting: counting({ channel: 'numbers' }), bare: bare() } }),
  )
  expect(config.plugins).toEqual({ counting: { options: { channel: 'numbers', start: 1 } }, bare: { options: {} } })
  expect((await readConfig(undefined)).plugins).toBeUndefined()
})

test('an error in the options names the configuration and the field', async () => {
  const wrong = {
    counting: counting({ channel: 5 as never, strat: 1 } as never),
    'Not Good': bare(),
    other: {} as never,
  }
  await expect(readConfig({ plugins: { counting: wrong.counting } }, 'src/bot.config.ts')).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: [
      'src/bot.config.ts: plugins.counting.channel must be a string, but is 5',
      'src/bot.config.ts: unknown field plugins.counting.strat; remove it or correct its spelling',
    ].join('\n'),
  })
  await expect(readConfig({ plugins: { 'Not Good': wrong['Not Good'] } })).rejects.toThrow(
    'bot.config.ts: plugins.Not Good is not a valid plugin name',
  )
  await expect(readConfig({ plugins: { other: wrong.other } })).rejects.toThrow(
    'bot.config.ts: plugins.other must be a plugin with its options: counting({ … })',
  )
  await expect(readConfig({ plugins: { bare: bare({ a: 1 } as never) } })).rejects.toThrow(
    'bot.config.ts: plugins.bare takes no options; remove them',
  )
})

test('starting rejects an option that cannot be cloned to a worker', async () => {
  const loose = plugin({ url: import.meta.url, options: z.object({ on: z.unknown() }) })
  await expect(readConfig({ plugins: { loose: loose({ on: () => 1 }) } })).rejects.toThrow(
    'bot.config.ts: plugins.loose has an option that cannot be passed to its handlers',
  )
})

test('invalid options do not compile', () => {
  // @ts-expect-error -- the channel is a string
  counting({ channel: 5 })
  // @ts-expect-error -- the channel is required
  counting()
  // @ts-expect-error -- it takes no options
  bare({ channel: 'x' })
  expect(bare().options).toEqual({})
})

test('options(ctx) returns the options in a handler of the plugin, and throws in one of the bot', () => {
  const counting = plugin({ url: import.meta.url, options: z.strictObject({ start: z.int() }) })
  expect(counting.options({ options: { start: 7 } }).start).toBe(7)
  expect(() => counting.options({ options: noOptions })).toThrow(
    'options(ctx) of a plugin was called in a handler of the bot itself: only the handlers in the folder of the plugin have its options',
  )
})
