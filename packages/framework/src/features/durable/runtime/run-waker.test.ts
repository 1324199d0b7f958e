import { type Clock, VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { duePrefix } from '../stored/run-store.ts'
import { createRunWaker } from './run-waker.ts'

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('50 runs that hang do not stop the others', async () => {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const due = (ms: number, run: string) =>
    store.set(`${duePrefix}${String(clock.now() + ms).padStart(15, '0')}:${run}`, { run })
  for (let i = 0; i < 50; i++) await due(1000, `hangs${i}`)
  await due(2000, 'fine')
  const woken: string[] = []
  const none = () => {}
  const timers = createRunWaker({
    isShared: true,
    ...{ store, clock, log: { debug: none, info: none, warn: none, error: none } },
    // Like a handler that reaches its time limit: its row stays.
    wake: async (run) => {
      woken.push(run)
      await new Promise<void>((resolve) => (run === 'fine' ? resolve() : clock.after(35_000, resolve)))
    },
  })
  await turns()
  for (let second = 0; second < 8; second++) {
    await clock.advance(1000)
    await turns()
  }
  void timers.stop()
  expect(woken.filter((run) => run !== 'fine')).toHaveLength(50)
  expect(woken).toContain('fine')
})

test('a run that could not continue is woken again after 30 s, also if the clock is set back', async () => {
  const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  let backMs = 0
  const wrong: Clock = {
    now: () => clock.now() - backMs,
    monotonic: () => clock.monotonic(),
    after: (ms, fire) => clock.after(ms, fire),
  }
  const store = new MemoryStore(wrong)
  // Its time is long over, as after a restart.
  await store.set(`${duePrefix}${String(clock.now() - 86_400_000).padStart(15, '0')}:stays`, { run: 'stays' })
  let woken = 0
  const none = () => {}
  const log = { debug: none, info: none, warn: none, error: none }
  const timers = createRunWaker({ isShared: true, store, clock: wrong, log, wake: async () => void woken++ })
  await turns()
  expect(woken).toBe(1)
  backMs = 3_600_000
  await clock.advance(30_000)
  await turns()
  void timers.stop()
  expect(woken).toBe(2)
})
