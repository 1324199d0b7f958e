import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { OverlayStore } from './overlay-store.ts'

test.each(['once:5:x', 'run:head:5', 'run:log:5:0:000000', 'acme/once:5:x', 'acme/cooldown:x'])(
  'starts without %s, which an earlier run of the event stored',
  async (key) => {
    const clock = new VirtualClock()
    const base = new MemoryStore(clock)
    await base.set(key, 1)
    await base.set('acme/state:user.points', 2)
    const store = new OverlayStore(base, clock)
    expect(await store.get(key)).toBeUndefined()
    expect((await store.get('acme/state:user.points'))?.value).toBe(2)
    await store.set(key, 3)
    expect((await base.get(key))?.value).toBe(1)
  },
)
