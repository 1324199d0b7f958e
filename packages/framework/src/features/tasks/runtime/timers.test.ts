import { VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events'
import { expect, test, vi } from 'vitest'
import type { Definition } from '../../../author/files/entries.ts'
import type { Log } from '../../../author/ports.ts'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { Scheduler } from './scheduler.ts'
import { addTimer, cancelTimer, listTimers } from '../stored-timers.ts'

// Scheduled runs on a store that is full or slow.

const reminders: Definition = {
  kind: 'task',
  name: 'reminders',
  file: 'tasks/reminders.ts',
  schedule: { missed: 'once', retry: false },
}

const daily: Definition = {
  kind: 'task',
  name: 'daily',
  file: 'tasks/daily.ts',
  schedule: { missed: 'once', retry: false, cron: '0 1 * * *' },
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function scheduling({ isDaily = false } = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const store = new MemoryStore(clock)
  const lines: string[] = []
  const note = (_facts: object, message: string) => void lines.push(message)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const runs: { payload: unknown; end: () => void }[] = []
  const dispatch = ({ event }: Delivery) =>
    new Promise<void>((end) => void runs.push({ payload: event.data['payload'], end }))
  const scheduler = new Scheduler({ store, clock, log, dispatch })
  scheduler.update([isDaily ? daily : reminders])
  const add = async (payload: unknown): Promise<void> => {
    await addTimer({ store, clock }, 'reminders', { in: '1h' }, payload)
    scheduler.wake()
    await clock.advance(3_600_000)
    await clock.advance(0)
  }
  return { clock, store, lines, runs, scheduler, add }
}

test('finished runs that cannot be deleted do not run again, block no other run, and are deleted later', async () => {
  const { clock, store, runs, lines, add } = await scheduling()
  const remove = store.delete.bind(store)
  store.delete = () => Promise.reject(new Error('the disk is full'))
  for (let i = 0; i < 50; i++) await add(i)
  for (const { end } of runs) end()
  await clock.advance(60_000)
  expect(lines.join()).toContain('the result of a scheduled run cannot be stored (the disk is full)')
  store.delete = remove
  await add('tea')
  await clock.advance(60_000)
  runs.at(-1)!.end()
  await clock.advance(0)
  expect(runs).toHaveLength(51)
  expect(runs.at(-1)!.payload).toBe('tea')
  expect(await store.list('task:timer:')).toEqual([])
})

test('a run that ends while the list is read does not count as interrupted', async () => {
  const { clock, store, runs, lines, scheduler, add } = await scheduling()
  await add('tea')
  const list = store.list.bind(store)
  let pass!: () => void
  const gate = new Promise<void>((resolve) => (pass = resolve))
  store.list = async (...args) => {
    const found = await list(...args)
    await gate
    return found
  }
  scheduler.wake()
  await clock.advance(0)
  runs[0]!.end()
  await clock.advance(0)
  pass()
  await clock.advance(1000)
  expect(lines).toEqual([])
  expect(runs).toHaveLength(1)
})

test('a timer damaged by another program is logged once and blocks no other run', async () => {
  const { store, runs, lines, add, clock } = await scheduling()
  const damaged = [
    null,
    'x',
    {},
    { task: 'reminders', atMs: 'soon', state: 'waiting' },
    { task: 1, atMs: 0, state: 'waiting' },
  ]
  for (const [i, value] of damaged.entries()) await store.set(`task:timer:0-${i}`, value)
  await add('tea')
  await clock.advance(60_000)
  expect(runs.map(({ payload }) => payload)).toEqual(['tea'])
  expect(lines).toHaveLength(damaged.length)
  expect(lines[0]).toMatch(/task:timer:0-0 in the state is not a timer and does not run/)
  expect(await listTimers(store, 'reminders')).toEqual([])
  expect(await cancelTimer(store, '0-0')).toBe(false)
})

test.each([
  ['a recurring task', true],
  ['one of two scheduled runs', false],
])('a stop waits for %s that is being claimed, and claims no other', async (_, isDaily) => {
  const { clock, store, runs, scheduler } = await scheduling({ isDaily })
  if (!isDaily) for (const payload of [1, 2]) await addTimer({ store, clock }, 'reminders', { in: '1h' }, payload)
  scheduler.wake()
  const set = store.set.bind(store)
  let claim: (() => void) | undefined
  store.set = async (key, value, options) => {
    if ((value as { state: string }).state === 'running') await new Promise<void>((resolve) => (claim = resolve))
    return set(key, value, options)
  }
  await clock.advance(3_600_000)
  await clock.advance(0)
  let isStopped = false
  const stopped = scheduler.stop(1000).finally(() => (isStopped = true))
  await turn()
  expect(isStopped).toBe(false)
  claim!()
  await turn()
  expect(runs).toHaveLength(1)
  expect(isStopped).toBe(false)
  runs[0]!.end()
  expect(await stopped).toEqual({ unfinished: 0 })
  expect(runs).toHaveLength(1)
})

test('a leader finds a run that another instance has scheduled, although the notice of it was lost', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const clock = new VirtualClock()
    const store = new MemoryStore(clock)
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const claims = { id: 'one', isActive: async () => true, begin() {}, end() {} }
    const runs: Delivery[] = []
    const scheduler = new Scheduler({ store, clock, log, claims, dispatch: async (run) => void runs.push(run) })
    scheduler.update([reminders])
    await turn()
    await addTimer({ store, clock }, 'reminders', { in: 0 }, 'tea')
    await vi.advanceTimersByTimeAsync(5000)
    await turn()
    expect(runs).toHaveLength(1)
    await scheduler.stop(0)
  } finally {
    vi.useRealTimers()
  }
})
