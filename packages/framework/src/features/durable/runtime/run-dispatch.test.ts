import { VirtualClock } from '@botwright/clock'
import { Unfinished } from '@botwright/events'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import type { Definition } from '../../../author/files/entries.ts'
import { message } from '../../../tests/loaded-bot.test.fixture.ts'
import { wakeOf } from '../../../link/run-event.ts'
import { type RunHead, RunStore } from '../stored/run-store.ts'
import type { BotDispatcher } from '../../../runtime/threads/dispatcher.ts'
import { BotRuns } from '../../../runtime/instance/bot-runs.ts'
import { durableRuns } from '../../runtime-features.ts'

const definitions: Definition[] = [{ kind: 'command', name: 'go', file: 'commands/go.ts', durable: true }]

/** The durable runs of an instance of a cluster. Its only timer looks for parked runs. */
function start(dispatcher: Partial<BotDispatcher> = {}) {
  const clock = new VirtualClock()
  const store = new MemoryStore(clock)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const others = { id: 'one', ask: async () => false as const, isActive: async () => false }
  const host = { store, clock, log, others, observer: {}, isShared: false, codeId: 'code' }
  const runs = new BotRuns({
    dispatcher: dispatcher as BotDispatcher,
    openDurable: (found, events) => durableRuns({ ...host, dispatcher: dispatcher as BotDispatcher, events }, found),
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

test('new code counts the runs that still wait, and names those that do not match it', async () => {
  const { event } = message({ command: 'go' })
  const head = (id: string): RunHead => ({
    ...{ id, file: 'commands/go.ts', machine: 'one', status: 'waiting', event, startedMs: 0, steps: 1 },
    ...{ changedMs: new VirtualClock().now(), waits: [] },
  })
  const ends: Record<string, (rows: RunStore) => Promise<unknown>> = {
    waits: async () => {},
    mismatches: (rows) => rows.save({ ...head('mismatches'), status: 'failed' }, { keys: new Set() }, []),
    ended: (rows) => rows.save({ ...head('ended'), status: 'done' }, { keys: new Set() }, []),
    expired: async () => void (await store.delete('run:head:expired')),
  }
  const { runs, store } = start({
    dispatch: async ({ event }) => void (await ends[wakeOf(event).run]!(rows)),
  })
  const rows = new RunStore(store)
  for (const id of Object.keys(ends)) await rows.save(head(id), { keys: new Set() }, [])
  await runs.update(definitions)
  const { waiting, mismatched } = await runs.renew(new Set(['commands/go.ts']))
  expect([waiting, mismatched.map(({ id }) => id)]).toEqual([1, ['mismatches']])
  runs.stop()
})

test('a bot without durable handlers sets its events aside one by one', async () => {
  const { runs } = start()
  await runs.update([])
  const { event } = message({ content: 'tea' })
  runs.gathers(event.id, 'events/message.ts')
  expect(runs.setAside(event, 'broken')).toEqual([event])
  runs.abandon()
  void runs.lost(event.id)
  await runs.fail({ run: '7', file: 'commands/go.ts' }, 'broken')
})

test('a burst whose thread has died runs again as a whole, although a run waits for the person by now', async () => {
  const { runs, store } = start({ isAwaited: () => false })
  await runs.update(definitions)
  const burst = {
    file: 'events/message.ts',
    events: [message({ content: 'a' }).event, message({ content: 'b' }).event],
  }
  const delivery = { event: burst.events[1]!, attempt: 2, burst }
  const { channel_id, author_id } = delivery.event.data
  await store.set(`run:key:text:${String(channel_id)}:${String(author_id)}`, { run: '7' })
  const waits = { step: 1, sinceMs: 0, dueMs: 0 }
  await new RunStore(store).save(
    {
      ...{ id: '7', file: 'commands/go.ts', machine: 'one', status: 'waiting', event: delivery.event },
      ...{ startedMs: 0, changedMs: 0, steps: 1, waits: [waits] },
    },
    { keys: new Set() },
    [],
  )
  expect(await runs.again(delivery)).toBe(delivery)
  runs.stop()
})
