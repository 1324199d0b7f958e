import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { message, start } from '../../tests/loaded-bot.test.fixture.ts'

const progress = { total: 1, done: 1, sent: [], failed: [], state: 'done' as const }

/** The ids of the broadcasts of two runs of one event. */
async function idsOf(code: string) {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const ids: string[] = []
  const outbox = { broadcasts: { start: async (id: string) => (ids.push(id), progress) } } as never
  const { bot } = await start({ 'commands/go.ts': code }, {}, { clock, store, outbox })
  const { event } = message({ command: 'go' })
  for (const attempt of [1, 2]) await bot.handle({ event, attempt })
  return ids
}

const go = (after: string) => `export default async (ctx) => {
  await ctx.broadcast([ctx.channel_id], 'first')
  await ctx.once('work', async () => { await ctx.broadcast([ctx.channel_id], 'inner'); return 1 })
  ${after}
}`

test('a broadcast after work that a redelivered event does not repeat is another one than that of the work', async () => {
  // The first run ends before its last broadcast.
  const [first, inner, again, last] = await idsOf(
    go("if (!ctx.redelivered) throw new Error('crash')\n await ctx.broadcast([ctx.channel_id], 'last')"),
  )
  expect(again).toBe(first)
  expect(new Set([first, inner, last]).size).toBe(3)
})

test('a broadcast has the same id in a run that is repeated', async () => {
  const [first, inner, last, again, lastAgain] = await idsOf(go("await ctx.broadcast([ctx.channel_id], 'last')"))
  expect([again, lastAgain]).toEqual([first, last])
  expect(new Set([first, inner, last]).size).toBe(3)
})

test('broadcasts between two attempts at the same work differ', async () => {
  const ids = await idsOf(`export default async (ctx) => {
    let tries = 0
    const work = () => ctx.once('work', () => { if (++tries === 1) throw new Error('x'); return 1 })
    await work().catch(() => ctx.broadcast([ctx.channel_id], 'again'))
    await work()
    await ctx.broadcast([ctx.channel_id], 'done')
  }`)
  expect(new Set(ids.slice(0, 2)).size).toBe(2)
})
