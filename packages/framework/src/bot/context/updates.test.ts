import { type Call, ServiceError } from '@botwright/rest'
import { expect, test } from 'vitest'
import { click, id, message, start } from '../../tests/loaded-bot.test.fixture.ts'

test('updates that a handler does not await post one message and edit it, in their order', async () => {
  const { bot, calls } = await start({
    'commands/go.ts': "export default (ctx) => { for (const text of ['1', '2', '3']) void ctx.update(text) }",
  })
  await bot.handle(message({ command: 'go' }))
  expect(calls.map(([name, { content }]) => `${name} ${String(content)}`)).toEqual([
    'messages.create 1',
    'messages.update 2',
    'messages.update 3',
  ])
})

test('if the message of the first update fails, the second one posts it', async () => {
  const calls: string[] = []
  const call = (async (name: string, { content }: { content: string }) => {
    calls.push(`${name} ${content}`)
    if (content === '1') throw new Error('refused')
    return { id: id(1), channel_id: id(2), content }
  }) as unknown as Call
  const code = "export default (ctx) => { for (const text of ['1', '2', '3']) ctx.update(text).catch(() => {}) }"
  const { bot } = await start({ 'commands/go.ts': code }, {}, { call })
  await bot.handle(message({ command: 'go' }))
  expect(calls).toEqual(['messages.create 1', 'messages.create 2', 'messages.update 3'])
})

test('a call after an unawaited answer to a click belongs to its run, also if the ack has to be looked up in between', async () => {
  const code = "export default (ctx) => { void ctx.update('a').then(() => ctx.send(ctx.channel_id, 'b')) }"
  const answersLeft = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    return 9
  }
  const t = await start({ 'buttons/go.ts': code }, {}, { answersLeft })
  await t.bot.handle({ ...click('go'), openMs: 800_000 })
  expect(t.calls.map(([name]) => name)).toEqual(['interactions.callback', 'messages.create'])
})

test('an ack whose outcome is unknown counts as an answer, and one that is refused does not', async () => {
  const codes = ['ERR_NO_ANSWER', 'ERR_FORBIDDEN'] as const
  let calls = 0
  const call = (async () => {
    throw new ServiceError(codes[calls++]!, 'no', { status: 0, endpoint: 'interactions.callback' })
  }) as unknown as Call
  const ack = 'await ctx.ack().catch(() => {}); ctx.log.warn(`${ctx.answersLeft} left`)'
  const t = await start({ 'buttons/go.ts': `export default async (ctx) => { ${ack}; ${ack} }` }, {}, { call })
  await t.bot.handle(click('go'))
  expect(t.logged).toEqual(['9 left', '9 left'])
})
