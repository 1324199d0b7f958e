import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { turns } from '../durable/runs/restarts.test.fixture.ts'
import { switchOff } from './change.ts'
import { StoredSwitches } from './stored-switches.ts'

test('the list of a slow store counts when it comes, unless a newer one is known', async () => {
  const clock = new VirtualClock()
  const ignore = () => {}
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  const store = new MemoryStore(clock)
  const waiting: (() => void)[] = []
  const slow: StateStore = {
    get: async (key) => {
      const found = await store.get(key)
      await new Promise<void>((resolve) => waiting.push(resolve))
      return found
    },
    set: store.set.bind(store),
    delete: store.delete.bind(store),
    list: store.list.bind(store),
  }
  const switches = new StoredSwitches({ store: slow, clock, log, isShared: true })
  const read = async () => {
    const reads = waiting.length
    const reading = switches.refreshed!()
    await turns()
    expect(waiting).toHaveLength(reads + 1)
    await clock.advance(1000)
    await reading
  }
  await read()
  await switchOff(store, { name: '/roll', sinceMs: 0 })
  await read()
  expect(switches.off, 'nothing has been read').toBeUndefined()
  waiting[1]!()
  await turns()
  expect(switches.off).toMatchObject([{ name: '/roll' }])
  // Older than what is known.
  waiting[0]!()
  await turns()
  expect(switches.off).toMatchObject([{ name: '/roll' }])
  await read()
  switches.onStoreWrite('switches:off', [])
  waiting[2]!()
  await turns()
  expect(switches.off).toBeUndefined()
})
