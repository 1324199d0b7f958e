import { VirtualClock } from '@botwright/clock'
import { Unfinished } from '@botwright/events'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import type { Definition } from '../../author/files/entries.ts'
import { message } from '../../tests/loaded-bot.test.fixture.ts'
import type { BotDispatcher } from '../threads/dispatcher.ts'
import { RunDispatch } from './run-dispatch.ts'

const definitions: Definition[] = [{ kind: 'command', name: 'go', file: 'commands/go.ts', durable: true }]

/** The durable runs of an instance of a cluster. Its only timer looks for parked runs. */
function start() {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const runs = new RunDispatch({
    ...{ store, clock, observer: {}, isShared: false, codeId: 'code' },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    dispatcher: {} as BotDispatcher,
    others: { id: 'one', ask: async () => false, isActive: async () => false },
  })
  return { runs, clock, store }
}

test('code that comes twice at the same time has one router', async () => {
  const { runs, clock } = start()
  await Promise.all([runs.update(definitions), runs.update(definitions)])
  expect(clock.waiting).toBe(1)
  runs.stop()
  expect(clock.waiting).toBe(0)
})

test('code that comes while the bot stops leaves no timer', async () => {
  const { runs, clock } = start()
  const updated = runs.update(definitions)
  runs.stop()
  await updated
  await runs.update(definitions)
  expect(clock.waiting).toBe(0)
})

test('an instance whose code could not be registered registers that of the next reload', async () => {
  const { runs, clock, store } = start()
  const { set } = store
  store.set = () => Promise.reject(new Error('away'))
  await expect(runs.update(definitions)).rejects.toThrow('away')
  store.set = set
  await runs.update(definitions)
  expect(clock.waiting).toBe(1)
})

test('an answer whose thread has died gives up when the bot stops before its run is found', async () => {
  const { runs, store } = start()
  await runs.update(definitions)
  store.get = () => Promise.reject(new Error('disk I/O error'))
  const again = runs.again(message({ content: 'tea' }))
  runs.stop()
  await expect(again).rejects.toThrow(Unfinished)
})
