import { expect, test } from 'vitest'
import type { Call } from '@botwright/rest'
import { id, message, start } from '../tests/loaded-bot.test.fixture.ts'
import { type Layer, layerOf } from './layer.ts'

const files = {
  'commands/ping.ts': `import { command, serverOnly } from 'botwright'
    export default command({ description: 'x', guards: [serverOnly()], run: (ctx) => ctx.reply('pong') })`,
  'middleware.ts': 'export default (ctx, next) => next()',
  'commands/boom.ts': "export default () => { throw new Error('boom') }",
}

/** A layer that lists its moments. */
function listing(name: string, seen: string[]): Layer {
  const list = (moment: string) => void seen.push(`${name} ${moment}`)
  return {
    call: (call) => (endpoint, input, options) => {
      list(endpoint)
      return call(endpoint, input, options)
    },
    guard: (guard, file) => ({
      ...guard,
      check(ctx, place) {
        list(`guard of ${file}`)
        return guard.check(ctx, place)
      },
    }),
    code:
      (run, { kind }) =>
      (...given) => {
        list(kind)
        return run(...given)
      },
    handle: (handle, fileOf) => (delivery) => {
      list(`handles ${fileOf(delivery)}`)
      return handle(delivery)
    },
    within(event, work) {
      list(`within ${event.type}`)
      return work()
    },
    matched: (result) => void list(`matched ${JSON.stringify(result)}`),
    failed(_, at) {
      list(`failed at ${at}`)
      return { causes: [] }
    },
    outcome: ({ result }) => list(result),
  }
}

const namesOf = (seen: readonly string[]) => seen.filter((one) => one.startsWith('in ')).map((one) => one.slice(3))

test('each layer of a bot sees its moments, the outermost layer first', async () => {
  const seen: string[] = []
  const { bot } = await start(files, {}, {}, layerOf([listing('out', seen), listing('in', seen)]))
  await bot.handle(message({ command: 'ping' }))
  expect(namesOf(seen)).toEqual([
    'within message',
    'handles commands/ping.ts',
    'matched {"file":"commands/ping.ts"}',
    'middleware',
    'guard of commands/ping.ts',
    'handler',
    'messages.create',
    'ok',
  ])
  for (const moment of namesOf(seen))
    expect(seen.indexOf(`out ${moment}`), moment).toBeLessThan(seen.indexOf(`in ${moment}`))
})

test('a layer sees failures, and events without a file', async () => {
  const seen: string[] = []
  const { bot } = await start(files, {}, {}, listing('in', seen))
  await bot.handle(message({ command: 'boom' }))
  await bot.handle(message({ content: 'hello' }))
  await bot.apologize(message({ command: 'ping' }), 'took_too_long')
  expect(namesOf(seen).slice(5)).toEqual([
    'failed at commands/boom.ts:1',
    'messages.create',
    'error',
    'within message',
    'handles undefined',
    'matched {"reason":"no_file"}',
    'within message',
    'messages.create',
  ])
})

test('the ends of two layers are both called, and members that no layer has are missing', async () => {
  const seen: string[] = []
  const one = (name: string): Layer => ({
    matched: () => () => void seen.push(`${name} passed`),
    waits: (file) => (wait) => (unanswered) => void seen.push(`${name} ${file} ${wait.for} ${unanswered?.why}`),
    flush: () => void seen.push(`${name} flush`),
  })
  const layer = layerOf([one('a'), {}, one('b')])
  layer.matched?.({ reason: 'for_waiting_handler', to: { event: 1, file: 'commands/a.ts' } })?.()
  layer.waits?.('commands/a.ts')({ for: 'click' })({ why: 'timed_out', at: '' })
  layer.flush?.()
  const each = (text: string) => [`a ${text}`, `b ${text}`]
  expect(seen).toEqual([...each('passed'), ...each('commands/a.ts click timed_out'), ...each('flush')])
  expect(Object.keys(layer).sort()).toEqual(['flush', 'matched', 'waits'])
  expect(layerOf([{}, {}])).toEqual({})
})

test('the client is wrapped once, when the bot is loaded', async () => {
  let wrapped = 0
  const call: NonNullable<Layer['call']> = (inner: Call) => {
    wrapped++
    return inner
  }
  const { bot, calls } = await start(files, {}, {}, { call })
  for (const author_id of [id(40), id(41)]) await bot.handle(message({ command: 'ping', author_id }))
  expect([wrapped, calls.length]).toEqual([1, 2])
})
