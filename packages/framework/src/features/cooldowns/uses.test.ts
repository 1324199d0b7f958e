import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { countUse } from './uses.ts'

const HOUR_MS = 3_600_000
const everyMs = 10_000

/** Counts uses at any time of a host's clock, which the store has too. */
function counting() {
  let nowMs = Date.UTC(2026, 0, 1)
  const store = new MemoryStore({ ...new VirtualClock(), now: () => nowMs } as unknown as VirtualClock)
  let runs = 0
  const use = (uses = 1) =>
    countUse(store, 'cooldown:x', { everyMs, uses, kept: { everyMs, uses }, nowMs, run: `run ${++runs}` })
  return { use, move: (ms: number) => void (nowMs += ms) }
}

test.each([[24], [1], [0.001]])(
  'a use by a clock that was %d h ahead blocks for one cooldown at most',
  async (hours) => {
    const { use, move } = counting()
    move(hours * HOUR_MS)
    expect(await use()).toBe(0)
    move(-hours * HOUR_MS)
    expect(await use()).toBe(everyMs)
    move(everyMs - 1)
    expect(await use()).toBe(1)
    move(1)
    expect(await use()).toBe(0)
    expect(await use()).toBe(everyMs)
  },
)

test('of several uses, those in the future count as made now, and the others keep their times', async () => {
  const { use, move } = counting()
  expect(await use(2)).toBe(0)
  move(5000)
  expect(await use(2)).toBe(0)
  move(-3000)
  expect(await use(2)).toBe(8000)
  move(8000)
  expect(await use(2)).toBe(0)
  expect(await use(2)).toBe(2000)
})
