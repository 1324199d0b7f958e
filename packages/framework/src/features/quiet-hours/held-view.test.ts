import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { countHeld, newHeldId } from './held-messages.ts'
import { heldPrefix } from './held-prefix.ts'
import { heldViews } from './held-view.ts'

const atMs = (time: string) => Date.parse(`2026-01-01T${time}:00Z`)

test('held messages are counted by channel, with the end of the quiet hours', async () => {
  const store = new MemoryStore(new VirtualClock(atMs('23:00')))
  const hold = (channel_name: string, time: string) => {
    const message = { channel_id: `id-of-${channel_name}`, content: 'news' }
    const row = { state: 'waiting', message, server_id: 's', channel_name, heldMs: atMs(time) }
    return store.set(heldPrefix + newHeldId(atMs(time)), row)
  }
  for (const [channel, time] of [
    ['a', '22:30'],
    ['b', '22:40'],
    ['b', '22:50'],
  ] as const)
    await hold(channel, time)
  const config = { quietHours: { from: '22:00', until: '07:00' } }
  expect(await heldViews(store, { config, nowMs: atMs('23:00'), limit: 1 })).toEqual({
    total: 3,
    channels: [
      {
        channel_id: 'id-of-b',
        channel: 'b',
        messages: 2,
        since: '2026-01-01T22:40:00.000Z',
        until: '2026-01-02T07:00:00.000Z',
      },
    ],
  })
  const { channels } = await heldViews(store, { config, nowMs: atMs('12:00'), limit: 9 })
  expect(channels.map(({ until }) => until)).toEqual([null, null])
  expect(await countHeld(store)).toBe(3)
})
