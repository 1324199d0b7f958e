import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'
import { switchOff } from './change.ts'
import { StoredSwitches } from './stored-switches.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// Switches for runs that begin long after their event has come.

/** Switches of which this process learns only by reading. */
function sharedSwitches() {
  const clock = new AdvanceableClock(systemClock)
  const store = new MemoryStore(clock)
  const ignore = () => {}
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  const switchOffElsewhere = async () => {
    await switchOff(store, { name: 'events/message', sinceMs: 0 })
    clock.advance(1000)
  }
  return { switches: new StoredSwitches({ store, clock, log, isShared: true }), switchOffElsewhere }
}

test('a run whose thread died is refused if it was switched off meanwhile', async () => {
  const { switches, switchOffElsewhere } = sharedSwitches()
  await using rig = new Rig('worker', {
    switches,
    again: async (delivery) => {
      // The next thread runs.
      await rig.say(2, 'hello')
      await switchOffElsewhere()
      return delivery
    },
  })
  await rig.dispatcher.replace(rig.source())
  await rig.say(1, 'exit-once')
  expect(rig.notes).toEqual(['start 1 v1', 'start 2 v1', 'end 2 v1'])
})

test('a run that waits for its next thread is refused if it was switched off meanwhile', slow, async () => {
  const { switches, switchOffElsewhere } = sharedSwitches()
  await using rig = new Rig('worker', { switches })
  const [first, second, released] = ['first', 'second', 'released'].map((name) => join(rig.root, name))
  await rig.dispatcher.replace(
    rig.source(`import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
if (existsSync('${first}')) {
  writeFileSync('${second}', '')
  while (!existsSync('${released}')) await new Promise((resolve) => setTimeout(resolve, 5))
}
export default () => {
  appendFileSync('${first}', 'x')
  process.exit(3)
}`),
  )
  const said = rig.say(1, 'hello')
  await expect.poll(() => existsSync(second!)).toBe(true)
  await switchOffElsewhere()
  writeFileSync(released!, '')
  await said
  expect(rig.dispatcher.restarts).toBe(1)
})
