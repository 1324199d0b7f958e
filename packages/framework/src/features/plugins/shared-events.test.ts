import { join } from 'node:path'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { VirtualClock } from '@botwright/clock'
import { type EventKey, eventKey } from '@botwright/events/event'
import { expect, test } from 'vitest'
import { discover } from '../../author/files/manifest.ts'
import { conversationKey } from '../conversations/lost-conversations.ts'
import type { Outcome } from '../../link/ports.ts'
import { id, message, start, write } from '../../tests/loaded-bot.test.fixture.ts'
import { Waiting } from '../../bot/conversation/waiting.ts'
import { HandlerRuns } from '../../bot/handler-runs.ts'
import type { LayeredHost } from '../../bot/load/load-layered.ts'
import { mountPlugins } from './mount.ts'

// One event that a file of the bot and one of a plugin handle: neither changes what the other does.

/** A bot with the plugin `echo`. */
async function startBoth(own: Record<string, string>, plugin: Record<string, string>, host: Partial<LayeredHost> = {}) {
  const found = { name: 'echo', package: 'echo', files: Object.keys(plugin), data: [] }
  const manifest = mountPlugins(discover(Object.keys(own)), [], [found])
  const of = Object.fromEntries(Object.entries(plugin).map(([file, code]) => [`echo/${file}`, code]))
  const { root } = await write({ ...own, ...of })
  const modules = Object.fromEntries(Object.keys({ ...own, ...of }).map((file) => [file, join(root, file)]))
  return start({}, { manifest, modules, root }, { plugins: { echo: { options: {} } }, ...host })
}

const turns = async (count = 100) => {
  for (let i = 0; i < count; i++) await Promise.resolve()
}

test('the broadcasts of the bot and of a plugin are separate, with and without an id', async () => {
  const started: string[] = []
  const begin = async (name: string) => {
    started.push(name)
    return { total: 1, done: 0, sent: [], failed: [], state: 'running' as const }
  }
  const none = async () => undefined
  const outbox = {
    broadcasts: { start: begin, next: none, cancel: none },
    budget: none,
  } as unknown as LayeredHost['outbox']
  const broadcasts = (name: string) =>
    `export default async (ctx) => {
      await ctx.broadcast(['${id(20)}'], '${name}')
      const { id } = await ctx.broadcast(['${id(20)}'], '${name}', { id: 'release' })
      await ctx.reply(id)
    }`
  const { bot, calls } = await startBoth(
    { 'events/message.ts': broadcasts('bot') },
    { 'events/message.ts': broadcasts('plugin') },
    { outbox: outbox! },
  )
  await bot.handle(message({ content: 'hello' }))
  expect(new Set(started).size).toBe(4)
  expect(calls.map(([, { content }]) => content)).toEqual(['release', 'release'])
})

test('a command that the models of both call does its work for each', async () => {
  const asks = `import { commandTools } from 'botwright'
    export default async (ctx) => { for (const tool of commandTools(ctx)) await tool.call({}) }`
  const { bot, calls } = await startBoth(
    {
      'events/message.ts': asks,
      'commands/order.ts': `export default (ctx) => ctx.once('order', () => ctx.reply('ordered').then(() => {}))`,
    },
    { 'events/message.ts': asks },
    { help: false },
  )
  await bot.handle(message({ content: 'please' }))
  expect(calls.map(([, { content }]) => content)).toEqual(['ordered', 'ordered'])
})

test('while both ask, the end of one conversation leaves the other one stored', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const talks: [EventKey, boolean][] = []
  const stored = () => store.list(conversationKey(''))
  const waiting = new Waiting({ waits: () => {}, talks: (key, on) => talks.push([key, on]), due: () => {} })
  const parked: EventKey[] = []
  const { bot, calls } = await startBoth(
    { 'events/message.ts': `export default async (ctx) => 'bot ' + (await ctx.ask('bot?'))` },
    { 'events/message.ts': `export default async (ctx) => 'plugin ' + (await ctx.ask('plugin?', { in: 'dm' }))` },
    { clock, store, waiting, park: (key) => parked.push(key) },
  )
  const asking = message({ content: 'hello' })
  const running = bot.handle(asking)
  await turns()
  expect((await stored()).length).toBe(2)
  await turns()
  expect([talks, parked]).toEqual([[[eventKey(asking.event), true]], [eventKey(asking.event)]])
  await bot.handle(message({ content: 'one' }))
  await turns()
  expect((await stored()).length).toBe(1)
  expect(talks).toHaveLength(1)
  await bot.handle(message({ content: 'two', channel_id: id(99), server_id: null }))
  await running
  expect(await stored()).toEqual([])
  expect(talks).toEqual([
    [eventKey(asking.event), true],
    [eventKey(asking.event), false],
  ])
  expect(
    calls
      .map(([, { content }]) => content)
      .filter(Boolean)
      .sort(),
  ).toEqual(['bot one', 'bot?', 'plugin two', 'plugin?'])
})

test('an event counts as handled once each file has ended or waits for a user', async () => {
  const parked: EventKey[] = []
  const slow = 'export default () => new Promise((resolve) => (globalThis.endSlow = resolve))'
  const { bot } = await startBoth(
    { 'events/message.ts': `export default (ctx) => ctx.ask('?')` },
    { 'events/message.ts': slow },
    { park: (key) => parked.push(key) },
  )
  const asking = message({ content: 'hello' })
  void bot.handle(asking)
  await turns()
  expect([parked, bot.running!(asking)]).toEqual([[], ['echo/events/message.ts']])
  ;(globalThis as unknown as { endSlow: () => void }).endSlow()
  await turns()
  expect([parked, bot.running!(asking)]).toEqual([[eventKey(asking.event)], undefined])
  await bot.handle(message({ content: 'an answer' }))
})

test('the time limit names the file that runs, and its late outcome alone is dropped', async () => {
  const outcomes: Outcome[] = []
  const lines: string[] = []
  const clock = new VirtualClock()
  const log = { error: (_: object, text: string) => void lines.push(text) } as never
  const runs = new HandlerRuns({ clock, log, limitMs: 10_000, observe: (one) => outcomes.push(one) })
  const { bot } = await startBoth(
    { 'events/message.ts': 'export default () => {}' },
    { 'events/message.ts': 'export default () => new Promise((resolve) => (globalThis.endSlow = resolve))' },
    { clock, observe: runs.observe! },
  )
  void runs.run(bot, message({ content: 'hello' }))
  await clock.advance(10_000)
  ;(globalThis as unknown as { endSlow: () => void }).endSlow()
  await turns()
  expect(lines).toEqual([expect.stringContaining('echo/events/message.ts: did not end within 10 s')])
  expect(outcomes.map(({ file, result }) => [file, result])).toEqual([
    ['events/message.ts', 'ok'],
    ['echo/events/message.ts', 'timed_out'],
  ])
})
