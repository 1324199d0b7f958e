import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { ParkedStore } from '../stored/parked-store.ts'
import type { RunHead } from '../stored/run-store.ts'
import { ParkedRuns } from './parked-runs.ts'

test('a run is continued behind more runs than are read at once, which no instance can continue', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const parked = new ParkedStore(store)
  const park = (id: string, file: string) => {
    const head = { id, file, status: 'waiting', waits: [], changedMs: clock.now() } as unknown as RunHead
    return parked.park(head, { codeIds: [], sinceMs: 0, by: 'old' }, clock.now())
  }
  for (let i = 100; i < 350; i++) await park(String(i), 'commands/gone.ts')
  await park('999', 'commands/form.ts')
  const woken: string[] = []
  const runs = new ParkedRuns({
    store,
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    others: { id: 'new', ask: async () => false, isActive: async () => false },
    codeId: 'new',
    files: () => new Set(['commands/form.ts']),
    router: { wake: async (id) => void woken.push(id), pass: async () => {} },
  })
  await runs.start()
  await clock.advance(10_000)
  runs.stop()
  expect(woken).toEqual(['999'])
})
