import { VirtualClock } from '@botwright/clock'
import { Unfinished } from '@botwright/events'
import { type Delivery, eventKey } from '@botwright/events/event'
import { expect, test } from 'vitest'
import { choice } from '../../../author/buttons/face.ts'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { isWake, postKey, wakeOf } from '../../../link/run-event.ts'
import { KEEP_MS, type RunHead, RunStore } from '../stored/run-store.ts'
import { click, id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import type { BotDispatcher } from '../../../runtime/threads/dispatcher.ts'
import { RunRouter } from './run-router.ts'

// Clicks on choices while the process of their run may have died. id(20): the channel of the clicks. id(60): their message.

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}
const yes = () => click(choice('yes', { label: 'Yes' }).custom_id!)

/** A router of an instance of a cluster. `ran`: the ids of runs that were continued, or `event` for other deliveries. */
function start(store = new MemoryStore(new VirtualClock())) {
  const clock = new VirtualClock()
  const ran: string[] = []
  const dispatcher = {
    isAwaited: () => false,
    dispatch: async ({ event }: Delivery) => void ran.push(isWake(event) ? wakeOf(event).run : 'event'),
  } as unknown as BotDispatcher
  const others = { id: 'one', ask: async () => false, isActive: async () => false }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const router = new RunRouter({ store, clock, log, dispatcher, others, observer: {}, resumed: () => {} })
  return { router, runs: new RunStore(store), clock, store, ran, others }
}

const head = (status: RunHead['status'], waits: RunHead['waits'] = []): RunHead => {
  const nowMs = new VirtualClock().now()
  const { event } = message({ command: 'go' })
  return { id: '7', file: 'commands/go.ts', status, event, startedMs: nowMs, changedMs: nowMs, steps: 1, waits }
}
const none = () => ({ keys: new Set<string>() })

test('a click on an outdated choice is handled at once', async () => {
  const { router, ran } = start()
  void router.dispatch(yes())
  await turns()
  expect(ran).toEqual(['event'])
})

test('a click on a choice that a run was posting waits for the run', async () => {
  const { router, runs, clock, ran } = start()
  await runs.posts(id(20), '7', clock.now())
  void router.dispatch(yes())
  await turns()
  expect(ran).toEqual([])
  await runs.save(head('waiting', [{ step: 1, key: `click:${id(60)}`, sinceMs: 0, dueMs: 1e15 }]), none(), [])
  await clock.advance(200, turns)
  expect(ran).toEqual(['7'])
})

test('a click waits no longer once the run waits for another message', async () => {
  const { router, runs, clock, ran } = start()
  await runs.posts(id(20), '7', clock.now())
  void router.dispatch(yes())
  await turns()
  const former = { keys: new Set([postKey(id(20), '7')]) }
  await runs.save(head('waiting', [{ step: 1, key: `click:${id(61)}`, sinceMs: 0, dueMs: 1e15 }]), former, [])
  await clock.advance(200, turns)
  expect(ran).toEqual(['event'])
})

test.each([
  ['in another channel', 21, 'waiting'],
  ['that has ended since', 20, 'cancelled'],
] as const)('a run %s keeps no click waiting', async (_, channel, status) => {
  const { router, runs, clock, ran } = start()
  await runs.posts(id(channel), '7', clock.now())
  await runs.save(head(status), none(), [])
  void router.dispatch(yes())
  await turns()
  expect(ran).toEqual(['event'])
})

test('a run that was lost before it was stored delays one message, and no further ones', async () => {
  const { router, runs, clock, ran } = start()
  // Its process died while it posted its question, and its file is gone since: its event has run without it.
  await runs.expect(`text:${id(20)}:${id(40)}`, '7')
  for (const [ms, handled] of [
    [5000, 0],
    [2000, 1],
    [0, 2],
  ] as const) {
    if (handled !== 1) void router.dispatch(message({ content: 'hello' }))
    await clock.advance(ms, turns)
    await turns()
    expect(ran).toHaveLength(handled)
  }
})

/** The end of a click when the bot stops while the click waits, and whether it ran. */
async function stopped({ router, clock, ran }: ReturnType<typeof start>) {
  let end: unknown = 'none'
  router.dispatch(yes()).then(
    () => (end = 'finished'),
    (error: unknown) => (end = error),
  )
  await clock.advance(500, turns)
  router.stop()
  await turns()
  return { end, ran, timers: clock.waiting }
}
const unfinished = { end: new Unfinished(), ran: [], timers: 0 }

test('a click whose run cannot be read when the bot stops gives up at once', async () => {
  const rig = start()
  rig.store.get = () => Promise.reject(new Error('disk I/O error'))
  expect(await stopped(rig)).toEqual(unfinished)
})

test('a click on a choice that a run was posting when the bot stops gives up at once', async () => {
  const rig = start()
  await rig.runs.posts(id(20), '7', rig.clock.now())
  expect(await stopped(rig)).toEqual(unfinished)
})

test('an answer to a run of another instance that leaves gives up when this one stops', async () => {
  const rig = start()
  const { others, runs } = rig
  others.isActive = async () => true
  const waits = [{ step: 1, key: `click:${id(60)}`, sinceMs: 0, dueMs: 1e15 }]
  await runs.save({ ...head('waiting', waits), machine: 'two' }, none(), [])
  expect(await stopped(rig)).toEqual(unfinished)
})

test('an answer is not lost if the instances cannot be read for a moment', async () => {
  const { router, runs, clock, others, ran } = start()
  let fails = 1
  others.isActive = async () => {
    if (fails-- > 0) throw new Error('no connection')
    return false
  }
  const waits = [{ step: 1, key: `click:${id(60)}`, sinceMs: 0, dueMs: 1e15 }]
  await runs.save({ ...head('waiting', waits), machine: 'two' }, none(), [])
  const passed = router.dispatch(yes())
  await clock.advance(1000, turns)
  await passed
  expect(ran).toEqual(['7'])
})

test('a run whose head has expired before its rows were deleted leaves none of them', async () => {
  const { router, runs, clock, store, ran } = start()
  const former = await runs.save(head('waiting', [{ step: 1, key: 'text:x', sinceMs: 0, dueMs: 1 }]), none(), [])
  await runs.append({ id: '7' }, 0, [])
  await runs.append({ id: '7:events/message.ts' }, 0, [])
  await store.delete('run:head:7')
  const woken = router.wake('7', { due: former.due! })
  await clock.advance(10_000, turns)
  await woken
  expect((await store.list('run:')).map(({ key }) => key)).toEqual(['run:log:7:events/message.ts:0:000000'])
  expect(ran).toEqual([])
})

/** Writes what a process has stored of a run before its first head: a row of its time, and its record. */
async function unstored({ runs, store, clock }: ReturnType<typeof start>): Promise<string> {
  const { due } = await runs.save(head('waiting', [{ step: 1, key: 'text:x', sinceMs: 0, dueMs: 1 }]), none(), [])
  const posts = { t: 'intent', step: 1, kind: 'call', name: 'messages.create', place: '', atMs: clock.now() } as const
  await runs.append({ id: '7' }, 0, [posts])
  await store.delete('run:head:7')
  return due!
}

test.each([
  ['that is due before its first head is stored', 0],
  ['whose first head is not stored when the clock jumps', 3 * KEEP_MS],
])('a run %s keeps its record, with which its event continues', async (_, jumpMs) => {
  const rig = start()
  const { router, store, clock } = rig
  const due = await unstored(rig)
  const { now } = clock
  clock.now = () => now.call(clock) + jumpMs
  const woken = router.wake('7', { due })
  await clock.advance(10_000, turns)
  await woken
  expect((await store.list('run:')).map(({ key }) => key)).toEqual([due, 'run:key:text:x', 'run:log:7:0:000000'])
})

test('the record of a run whose head has expired is deleted', async () => {
  const rig = start()
  const { router, store, clock } = rig
  const due = await unstored(rig)
  await clock.advance(KEEP_MS)
  const woken = router.wake('7', { due })
  await clock.advance(10_000, turns)
  await woken
  expect(await store.list('run:')).toEqual([])
})

test('the record of an event that was set aside stays for its replay when its run is due', async () => {
  const rig = start()
  const { runs, store, clock } = rig
  await unstored(rig)
  await runs.deleteLost('7', true)
  await clock.advance(KEEP_MS)
  expect((await store.list('run:')).map(({ key }) => key)).toEqual(['run:log:7:0:000000'])
})

test('a row that was written before the head of its run wakes it', async () => {
  const { router, runs, clock, ran } = start()
  const woken = router.wake('7', { due: 'run:due:000000000000001:7' })
  await clock.advance(400, turns)
  await runs.save(head('waiting', [{ step: 1, key: 'text:x', sinceMs: 0, dueMs: 1 }]), none(), [])
  await clock.advance(400, turns)
  await woken
  expect(ran).toEqual(['7'])
})

test('an answer that comes again after its run has ended is not handled a second time', async () => {
  const { router, runs, ran } = start()
  const answer = yes()
  await runs.save(head('done'), none(), [eventKey(answer.event)])
  await router.dispatch({ ...answer, attempt: 2 })
  expect(ran).toEqual([])
})

test('many events may wait for a store that fails, without a warning of a leak', async () => {
  const { router, store, clock, ran } = start()
  const warnings: Error[] = []
  const warned = (warning: Error) => void warnings.push(warning)
  process.on('warning', warned)
  const get = store.get.bind(store)
  store.get = () => Promise.reject(new Error('away'))
  for (let i = 0; i < 20; i++) void router.dispatch(click(`any ${i}`))
  await turns()
  store.get = get
  await clock.advance(1000, turns)
  process.off('warning', warned)
  expect(ran).toHaveLength(20)
  expect(warnings).toEqual([])
})
