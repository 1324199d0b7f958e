import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { Entry } from '../../author/files/entries.ts'
import { loadRest } from './load-rest.ts'

test('modules load one after another, so that an event waits only for its own, and one that hangs stops no other', async () => {
  const clock = new VirtualClock(0)
  const entries = ['a', 'b', 'c'].map((name): Entry => ({ kind: 'command', name, file: `commands/${name}.ts` }))
  const steps: string[] = []
  const load = async ({ name }: Entry): Promise<never> => {
    steps.push(`begins ${name}`)
    await (name === 'b' ? new Promise(() => {}) : Promise.resolve())
    steps.push(`ends ${name}`)
    return undefined as never
  }
  const errors: unknown[] = []
  const log = { error: (facts: unknown) => void errors.push(facts) } as never
  const loader = { load, ready: async () => {} } as never
  const done = loadRest([], { loader, entries, host: { clock, log }, root: '/' })
  await new Promise(setImmediate)
  expect(steps).toEqual(['begins a', 'ends a', 'begins b'])
  await clock.advance(30_000)
  await done
  expect(steps.slice(3)).toEqual(['begins c', 'ends c'])
  expect(errors).toEqual([{ file: 'commands/b.ts' }])
})
