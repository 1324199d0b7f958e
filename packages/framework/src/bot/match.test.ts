import { expect, test } from 'vitest'
import { type Delivery, eventKey } from '@botwright/events'
import { click, deliver, id, message, start } from '../tests/loaded-bot.test.fixture.ts'
import type { BotHost } from './host.ts'
import type { Layer, MatchResult } from './layer.ts'

const run = 'export default () => {}'

/** A loaded bot, whose results of matching are listed. */
async function matching(files: Record<string, string>, host: Partial<BotHost> = {}) {
  const results: (MatchResult | 'over')[] = []
  const layer: Layer = {
    matched(result) {
      results.push(result)
      return 'to' in result ? () => void results.push('over') : undefined
    },
  }
  return { ...(await start(files, {}, host, layer)), results }
}

test('a command that runs by itself names the subcommand that was probably meant', async () => {
  const t = await matching({ 'commands/order.ts': run, 'commands/order/tea.ts': run })
  for (const args of ['', 'tea', 'tee', 'zzz']) await t.bot.handle(message({ command: 'order', args }))
  expect(t.results).toEqual([
    { file: 'commands/order.ts' },
    { file: 'commands/order/tea.ts' },
    { file: 'commands/order.ts', near: { command: 'order', near: 'tea', subcommands: ['tea'] } },
    { file: 'commands/order.ts' },
  ])
})

test('messages of other bots have their reasons', async () => {
  const other = { author_id: id(2), author_bot: true, command: 'ping' }
  const files = { 'commands/ping.ts': "export default (ctx) => ctx.reply('pong')" }
  const silent = await matching(files)
  await silent.bot.handle(message(other))
  expect(silent.results).toEqual([{ reason: 'bot_message' }])
  const loop = await matching(files, { answerBots: true })
  for (let n = 0; n < 6; n++) await loop.bot.handle(message(other))
  expect(loop.results.at(0)).toEqual({ file: 'commands/ping.ts' })
  expect(loop.results.at(-1)).toEqual({ reason: 'bot_loop' })
})

test('events/message.ts may turn out to receive no messages of bots when it loads', async () => {
  const files = {
    'events/message.ts':
      "import { event } from 'botwright'\nexport default event('message', { bots: false, run: () => {} })",
  }
  const known = { definitions: [{ kind: 'event', name: 'message', file: 'events/message.ts' } as const] }
  const results: MatchResult[] = []
  const matched = (result: MatchResult): undefined => void results.push(result)
  const { bot } = await start(files, known, { answerBots: true }, { matched })
  await bot.handle(message({ author_id: id(2), author_bot: true }))
  expect(results).toEqual([{ file: 'events/message.ts' }, { reason: 'bot_message' }])
})

test('an answer goes to the handler that waits for it, until that handler has ended', async () => {
  const asking =
    'export default async (ctx) => { const click = await ctx.clicked({ id: ctx.event.message_id }); await click.ack() }'
  const t = await matching({ 'events/reaction_add.ts': asking })
  const asked = deliver('reaction_add', { user_id: id(40), channel_id: id(20), message_id: id(60) })
  const begun = t.bot.handle(asked)
  await new Promise((resolve) => setImmediate(resolve))
  const answer: Delivery = click('yes')
  await Promise.all([begun, t.bot.handle(answer)])
  expect(t.results).toEqual([
    { file: 'events/reaction_add.ts' },
    {
      reason: 'for_waiting_handler',
      to: expect.objectContaining({ event: eventKey(asked.event), file: 'events/reaction_add.ts' }),
    },
    'over',
  ])
})
