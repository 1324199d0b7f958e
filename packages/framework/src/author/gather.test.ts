import { expect, test } from 'vitest'
import { message, start } from '../tests/loaded-bot.test.fixture.ts'

const file = (options: string, event = 'message') =>
  `import { command, event } from 'botwright'; export default event('${event}', { run: () => 'x', ${options} })`
const load = (options: string, event = 'message') => start({ [`events/${event}.ts`]: file(options, event) })

test.each([
  ["gather: '1s'", "gather must be an object, such as { quiet: '1.5s', max: '10s' }"],
  ["gather: { quiet: '1s', max: '2s', by: 'user' }", 'gather has an unknown field "by"; it has quiet, max and per'],
  ["gather: { quiet: '1s', max: '2s', per: 'server' }", "gather.per must be 'user' or 'channel'"],
  ["gather: { quiet: '3s', max: '2s' }", 'gather.quiet must be longer than 0, and not longer than gather.max'],
  ["gather: { quiet: '1s', max: '6m' }", 'gather.max must not be longer than 5m'],
  ["gather: { quiet: '1s' }", 'gather.max must be a duration'],
  ["gather: { quiet: '1s', max: '2s' }, durable: true", 'gather and durable exclude each other: remove one of them'],
])('a file with %s does not load', async (options, fact) => {
  await expect(load(options)).rejects.toThrow(`events/message.ts: ${fact}`)
})

test.each([
  ['interaction', 'gather has no effect on clicks, because the person who clicks waits for an answer; remove it'],
  ['ready', 'gather has no effect on "ready"; remove it'],
])('a file of the event %s does not gather', async (name, fact) => {
  await expect(load("gather: { quiet: '1s', max: '2s' }", name)).rejects.toThrow(`events/${name}.ts: ${fact}`)
})

const gathers = "gather: { quiet: '1.5s', max: '10s' }"

test('other files of the event run at once, and the conditions decide whether the event is gathered', async () => {
  const reported: unknown[] = []
  const { bot, calls } = await start(
    {
      'events/message/a.ts': file("run: () => 'a'"),
      'events/message/b.ts': file(
        `match: /^b/, run: (ctx) => ctx.events.map((one) => one.content).join(' '), ${gathers}`,
      ),
      'events/message/c.ts': file("otherwise: true, run: () => 'c'"),
    },
    {},
    { gathers: (...given) => void reported.push(given) },
  )
  const replies = () => calls.splice(0).map(([, { content }]) => content)
  const first = message({ content: 'b1' })
  await bot.handle({ ...first, gathers: true })
  expect([replies(), reported.splice(0)]).toEqual([['a'], [[first.event.id, 'events/message/b.ts']]])
  await bot.handle({ ...message({ content: 'x' }), gathers: true })
  expect([replies(), reported]).toEqual([['a'], []])
  const last = message({ content: 'b2' })
  await bot.handle({ ...last, burst: { file: 'events/message/b.ts', events: [first.event, last.event] } })
  expect(replies()).toEqual(['b1 b2'])
})

test('without a burst, the event is alone in ctx.events', async () => {
  const { bot, calls } = await start({
    'events/message.ts': file(`run: (ctx) => ctx.events.map((one) => one.content).join(' '), ${gathers}`),
  })
  await bot.handle(message({ content: 'hello' }))
  expect(calls).toMatchObject([['messages.create', { content: 'hello' }]])
})

test('the definition contains how a file gathers', async () => {
  const { bot } = await load(`match: /x/, ${gathers}`)
  expect(bot.definitions).toMatchObject([
    {
      conditions: ['only for texts that match /x/', 'gathers events per user: 1.5s of quiet, 10s at most'],
      facts: { gather: { quietMs: 1500, maxMs: 10_000, per: 'user' } },
    },
  ])
})
