import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { RunStore } from './run-store.ts'

test('a message belongs to the first step that claims it, also when that step claims it again', async () => {
  const clock = new VirtualClock()
  const runs = new RunStore(new MemoryStore(clock))
  const claims = (step: string) => runs.claims('message', step, clock.now())
  expect(await claims('one:1')).toBe(true)
  expect(await claims('one:1')).toBe(true)
  expect(await claims('two:1')).toBe(false)
  expect(await claims('one:1')).toBe(true)
})
