import { sleep, VirtualClock } from '@botwright/clock'
import type { Call, CallOptions } from '@botwright/rest'
import { expect, test } from 'vitest'
import { spilledIdOf } from '../../author/buttons/custom-id.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { Broadcaster } from './broadcaster.ts'

const HOUR = 60 * 60_000

test('the params of buttons are kept from each message of a broadcast, which may last longer than they are kept', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const custom_id = spilledIdOf('note', {}, 'k'.repeat(22))
  const button = { type: 'button', style: 'primary', label: 'Yes', custom_id } as const
  await store.set(`button:${custom_id}`, 'packed', { expiresAtMs: clock.now() + HOUR })
  const left: unknown[] = []
  const call = (async (_name: string, { channel_id }: { channel_id: string }, { leaving }: CallOptions) => {
    await sleep(clock, 2 * HOUR)
    await leaving?.()
    const kept = await store.get(`button:${custom_id}`)
    left.push([kept?.value, kept!.expiresAtMs! - clock.now()])
    return { id: channel_id }
  }) as unknown as Call
  const nothing = () => undefined
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  const broadcasts = new Broadcaster({ call, store, clock, log })
  const message = { content: 'Tea?', components: [{ type: 'row' as const, components: [button] }] }
  await broadcasts.start('news', { channels: ['a', 'b'], message })
  for (let i = 0; i < 6; i++) await clock.advance(HOUR)
  expect(left).toEqual([
    ['packed', HOUR],
    ['packed', HOUR],
  ])
})
