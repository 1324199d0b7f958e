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

test.each([1, 2])('of two writes that expect version %i, only the first succeeds', async (version) => {
  const clock = new VirtualClock()
  const base = new MemoryStore(clock)
  for (let written = 0; written < version; written++) await base.set('state:bot:count:', written)
  const atOnce = new OverlayStore(base, clock)
  const set = (store: OverlayStore) => store.set('state:bot:count:', 10, { expected: version })
  expect(await Promise.all([set(atOnce), set(atOnce)])).toEqual([true, false])
  const inTurn = new OverlayStore(base, clock)
  expect([await set(inTurn), await set(inTurn)]).toEqual([true, false])
  const next = (await inTurn.get('state:bot:count:'))!.version
  expect(await inTurn.set('state:bot:count:', 11, { expected: next })).toBe(true)
  expect(await inTurn.delete('state:bot:count:', { expected: version })).toBe(false)
  const [listed] = await inTurn.list('state:')
  expect(listed?.value).toBe(11)
  expect(await inTurn.delete('state:bot:count:', { expected: listed!.version })).toBe(true)
  expect(await inTurn.set('state:bot:count:', 12, { expected: 0 })).toBe(true)
})

test('a deletion and a write at the same time do not both succeed', async () => {
  const clock = new VirtualClock()
  const base = new MemoryStore(clock)
  await base.set('state:bot:count:', 1)
  const store = new OverlayStore(base, clock)
  const expected = { expected: 1 }
  const done = await Promise.all([
    store.delete('state:bot:count:', expected),
    store.set('state:bot:count:', 2, expected),
  ])
  expect(done).toEqual([true, false])
})

test('a value that cannot be stored does not hide the former one', async () => {
  const clock = new VirtualClock()
  const base = new MemoryStore(clock)
  await base.set('state:bot:count:', 1)
  const store = new OverlayStore(base, clock)
  await expect(store.set('state:bot:count:', undefined)).rejects.toThrow('cannot be stored as JSON')
  expect((await store.get('state:bot:count:'))?.value).toBe(1)
})
