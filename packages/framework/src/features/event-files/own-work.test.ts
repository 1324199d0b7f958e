import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { id, message, start } from '../../tests/loaded-bot.test.fixture.ts'

// Work of several files of one event that has the same name.

const outbox = () => {
  const started: string[] = []
  const broadcasts = {
    start: async (name: string) => {
      started.push(name)
      return { done: 0, total: 1, sent: [], failed: [], state: 'running' }
    },
  }
  return { started, outbox: { broadcasts } as never }
}

test('each file does its own work in ctx.once, also at the same time', async () => {
  const once = (name: string) => `export default async (ctx) => {
  await ctx.once('count', () => ctx.send(ctx.channel_id, '${name}'))
}`
  const store = new MemoryStore(new VirtualClock())
  const files = { 'events/message/a.ts': once('a'), 'events/message/b.ts': once('b') }
  const { bot, calls, logged } = await start(files, {}, { store })
  const one = message({ content: 'hello' })
  await bot.handle(one)
  expect(logged).toEqual([])
  const sent = () => calls.flatMap(([name, { content }]) => (name === 'messages.create' ? [content] : []))
  expect(sent()).toEqual(['a', 'b'])
  await store.delete(`handled:${one.event.id}`)
  await bot.handle({ ...one, attempt: 2 })
  expect(sent(), 'delivered again').toEqual(['a', 'b'])
})

test('each file sends its own broadcast', async () => {
  const { started, outbox: all } = outbox()
  const code = `export default async (ctx) => void (await ctx.broadcast(['${id(20)}'], 'news'))`
  const { bot } = await start({ 'events/message/a.ts': code, 'events/message/b.ts': code }, {}, { outbox: all })
  await bot.handle(message({ content: 'hello' }))
  expect(new Set(started).size).toBe(2)
})

test('the record of a question does not end with that of another file', async () => {
  const ask = (name: string) => `export default async (ctx) => { await ctx.choose('${name}?', ['yes']) }`
  let found = () => {}
  const both = new Promise<void>((resolve) => (found = resolve))
  const records = new Set<string>()
  const store = new (class extends MemoryStore {
    override set(...given: Parameters<MemoryStore['set']>) {
      if (given[0].startsWith('ask:') && records.add(given[0]).size === 2) found()
      return super.set(...given)
    }
  })(new VirtualClock())
  const files = { 'events/message/a.ts': ask('a'), 'events/message/b.ts': ask('b') }
  const { bot } = await start(files, {}, { store })
  void bot.handle(message({ content: 'hello' }))
  await both
  expect(records.size).toBe(2)
})
