import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { start } from '../../tests/loaded-bot.test.fixture.ts'
import { failureDelivery } from './failure-event.ts'

test('each failure does its own work in ctx.once, also in the same millisecond', async () => {
  const files = {
    'events/error.ts': "export default (ctx) => ctx.once('report', () => ctx.log.warn(ctx.error.message))",
  }
  const store = new MemoryStore(new VirtualClock())
  const { bot, logged } = await start(files, {}, { store })
  const failure = { kind: 'handler', omitted: 0 } as const
  for (const message of ['one', 'two']) await bot.handle(failureDelivery({ failure, error: { message } }, 0))
  expect(logged).toEqual(['one', 'two'])
})
