import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { newHeldId } from './held-messages.ts'
import { heldPrefix } from './held-prefix.ts'
import { quietNow } from './quiet-now.test.fixture.ts'

const HOUR_MS = 60 * 60_000

const files = {
  'commands/send.ts': `export default async (ctx) => 'held ' + (await ctx.send(ctx.channel_id, ctx.typed)).id`,
  'commands/edit.ts': `export default async (ctx) => {
    await ctx.edit({ channel_id: ctx.channel_id, id: ctx.typed }, 'better')
  }`,
}

test('held messages are sent at the next start if quietHours was removed, and can still be edited after that', async () => {
  await using rig = await ChatRig.start()
  const memory = new MemoryStore(systemClock)
  const store = () => memory
  const first = await rig.startBot(files, { config: { store, quietHours: quietNow } })
  await rig.says('ann', '/send tea')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('held ')))
  const id = (await rig.texts()).find((text) => text.startsWith('held '))!.slice('held '.length)
  await first.stop()

  const second = await rig.startBot(files, { config: { store } })
  await rig.until(async () => (await rig.texts()).includes('tea'))
  await rig.until(async () => (await memory.list(heldPrefix)).length === 0)
  await second.stop()

  await rig.startBot(files, { config: { store } })
  await rig.says('ann', `/edit ${id}`)
  await rig.until(async () => (await rig.texts()).includes('better'))
})

test('messages are sent in their order if the clock was set back between them', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const store = new MemoryStore(clock)
  const message = { channel_id: rig.channel('general'), content: 'first' }
  const heldMs = clock.now() + HOUR_MS
  // As of a process whose clock was an hour ahead.
  const digits = (heldMs * 256).toString(16).padStart(14, '0')
  const id = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-80${digits.slice(12)}-8000-000000000000`
  await store.set(heldPrefix + id, { state: 'waiting', message, server_id: 'x', channel_name: 'general', heldMs })
  await rig.startBot(files, { clock, config: { store: () => store, quietHours: quietNow } })
  await rig.says('ann', '/send second')
  await rig.until(async () => (await store.list(heldPrefix)).length === 2)
  clock.advance(3 * HOUR_MS)
  await rig.until(async () => (await rig.texts()).includes('second'))
  expect((await rig.texts()).filter((text) => /^(?:first|second)$/.test(text))).toEqual(['first', 'second'])
})

test('a message that waits for its next attempt is sent at once if the clock was set back since', async () => {
  await using rig = await ChatRig.start()
  const store = new MemoryStore(systemClock)
  const nowMs = systemClock.now()
  const message = { channel_id: rig.channel('general'), content: 'tea' }
  const waits = { againMs: nowMs + 24 * HOUR_MS, waitMs: 30_000 }
  await store.set(heldPrefix + newHeldId(nowMs), { state: 'waiting', message, server_id: 'x', heldMs: nowMs, ...waits })
  await rig.startBot(files, { config: { store: () => store } })
  await rig.until(async () => (await rig.texts()).includes('tea'))
})
