import { VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events/event'
import { expect, test } from 'vitest'
import { wakeDelivery } from '../link/run-event.ts'
import type { Outcome } from '../link/ports.ts'
import { ownDelivery } from '../link/task-event.ts'
import { HandlerRuns } from './handler-runs.ts'
import type { Bot } from './host.ts'

const delivery = (id: number) => ({
  event: { id, type: 'message', data: {}, created_at: '2026-01-01T00:00:00.000Z' },
  attempt: 1,
})

/** Handlers of at most 10 s, which the test ends. */
function rig({ handle, file = 'commands/ping.ts' }: { handle?: Bot['handle']; file?: string | null } = {}) {
  const clock = new VirtualClock()
  const outcomes: Outcome[] = []
  const lines: [facts: object, message: string][] = []
  const apologies: unknown[] = []
  const open = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
  const bot = {
    handle:
      handle ??
      (({ event: { id } }: Delivery) => new Promise<void>((resolve, reject) => open.set(id, { resolve, reject }))),
    handlerOf: () => file ?? undefined,
    apologize: async ({ event: { id } }: Delivery, why: string) => void apologies.push([id, why]),
  } as unknown as Bot
  const log = { error: (facts: object, message: string) => void lines.push([facts, message]) } as never
  const observe = (outcome: Outcome) => void outcomes.push(outcome)
  const runs = new HandlerRuns({ clock, log, limitMs: 10_000, observe })
  const settled: number[] = []
  const run = (id: number) => {
    const running = runs.run(bot, delivery(id))
    void running?.then(() => settled.push(id))
    return running
  }
  return { bot, clock, outcomes, lines, apologies, open, runs, run, settled, log }
}

test('a handler that returns at once needs no promise and no timer', () => {
  const t = rig({ handle: () => undefined })
  expect(t.run(1)).toBeUndefined()
  expect([t.clock.waiting, t.lines, t.outcomes]).toEqual([0, [], []])
})

test('a durable run in memory whose time has come may work for longer', async () => {
  const t = rig()
  const wake = wakeDelivery({ run: '7', file: 'commands/ping.ts', isTime: true }, { now: 0 })
  let isSettled = false
  void t.runs.run(t.bot, wake)!.then(() => (isSettled = true))
  await t.clock.advance(10_000)
  expect([isSettled, t.lines, t.outcomes, t.apologies]).toEqual([true, [], [], []])
})

test('a run settles when its handler ends', async () => {
  const t = rig()
  void t.run(1)
  await t.clock.advance(9999)
  expect(t.settled).toEqual([])
  t.open.get(1)!.resolve()
  await t.clock.advance(60_000)
  expect([t.settled, t.lines, t.outcomes, t.apologies]).toEqual([[1], [], [], []])
  expect(t.clock.waiting).toBe(0)
})

test.each([
  ['of a task', ownDelivery('task', { task: 'daily', scheduledAtMs: 0, retry: false }, 0, false), 'within 10 s; its'],
  ['that a time wakes', wakeDelivery({ run: '7', file: 'commands/ping.ts' }, { now: 0 }), 'within 10 s (run 7); its'],
  [
    'that an answer wakes',
    wakeDelivery({ run: '7', file: 'commands/ping.ts', answer: delivery(9).event }, { now: 0 }),
    'within 10 s (event 9); its',
  ],
])('the log of a late run %s names no event that the framework has made', async (_, late, text) => {
  const t = rig({ handle: () => new Promise(() => {}) })
  void t.runs.run(t.bot, late)
  await t.clock.advance(10_000)
  expect(t.lines[0]![1]).toContain(text)
})

test('a run settles at the limit: it is logged, reported and the user gets an apology, once', async () => {
  const t = rig()
  void t.run(1)
  await t.clock.advance(9999)
  expect([t.settled, t.lines]).toEqual([[], []])
  await t.clock.advance(1)
  expect(t.settled).toEqual([1])
  expect(t.lines).toEqual([
    [
      { code: 'ERR_HANDLER_TIMEOUT', file: 'commands/ping.ts', eventId: 1 },
      expect.stringMatching(/^commands\/ping\.ts: did not end within 10 s \(event 1\)/),
    ],
  ])
  const error = { message: 'did not end within 10 s', at: 'commands/ping.ts', reference: '' }
  expect(t.outcomes).toEqual([
    { eventId: 1, type: 'message', file: 'commands/ping.ts', ms: 10_000, result: 'timed_out', error },
  ])
  expect(t.apologies).toEqual([[1, 'took_too_long']])
  await t.clock.advance(60_000)
  t.open.get(1)!.resolve()
  expect([t.lines.length, t.outcomes.length, t.apologies.length, t.clock.waiting]).toEqual([1, 1, 1, 0])
})

test('each run has its own limit, with one timer for all', async () => {
  const t = rig()
  void t.run(1)
  await t.clock.advance(4000)
  void t.run(2)
  expect(t.clock.waiting).toBe(1)
  await t.clock.advance(6000)
  expect(t.settled).toEqual([1])
  expect(t.clock.waiting).toBe(1)
  await t.clock.advance(3999)
  expect(t.settled).toEqual([1])
  await t.clock.advance(1)
  expect(t.settled).toEqual([1, 2])
  expect(t.clock.waiting).toBe(0)
  void t.run(3)
  await t.clock.advance(10_000)
  expect(t.settled).toEqual([1, 2, 3])
})

test('an outcome is reported once: not again when the handler ends after the limit', async () => {
  const t = rig()
  void t.run(1)
  await t.clock.advance(10_000)
  const file = 'commands/ping.ts'
  const outcome = (eventId: number): Outcome => ({ eventId, type: 'message', file, result: 'ok' })
  t.runs.observe!(outcome(1))
  expect(t.outcomes).toHaveLength(1)
  t.runs.observe!(outcome(2))
  // A second event with the id, after a reset of the feed.
  t.runs.observe!(outcome(1))
  expect(t.outcomes.map(({ eventId, result }) => [eventId, result])).toEqual([
    [1, 'timed_out'],
    [2, 'ok'],
    [1, 'ok'],
  ])
})

test.each([
  ['another file of the event', 'events/message/a.ts', 'events/message/b.ts'],
  ['a click that no file handles', 'buttons/', undefined],
])('the outcome of a late file is not taken for that of %s', async (_, late, other) => {
  const t = rig({ file: late })
  void t.run(1)
  await t.clock.advance(10_000)
  const outcome = (file: string | undefined): Outcome => ({ eventId: 1, type: 'message', file, result: 'ok' })
  if (other) t.runs.observe!(outcome(other))
  t.runs.observe!(outcome(other ? late : undefined))
  expect(t.outcomes.map(({ file, result }) => [file, result])).toEqual([
    [late, 'timed_out'],
    ...(other ? [[other, 'ok']] : []),
  ])
})

test('the outcome of a handler whose file is unknown is reported once', async () => {
  const t = rig({ file: null })
  void t.run(1)
  await t.clock.advance(10_000)
  t.runs.observe!({ eventId: 1, type: 'message', file: undefined, result: 'ok' })
  expect(t.outcomes.map(({ file, result }) => [file, result])).toEqual([[undefined, 'timed_out']])
})

test('without a listener there are no outcomes, and the limit applies', async () => {
  const t = rig()
  const runs = new HandlerRuns({ clock: t.clock, log: t.log, limitMs: 10_000 })
  expect(runs.observe).toBeUndefined()
  let settled = false
  const bot = { handle: () => new Promise(() => {}), handlerOf: () => undefined, apologize: async () => {} }
  void (runs.run(bot as unknown as Bot, delivery(1)) as Promise<void>).then(() => (settled = true))
  await t.clock.advance(10_000)
  expect(settled).toBe(true)
  expect(t.lines[0]).toEqual([
    { code: 'ERR_HANDLER_TIMEOUT', file: 'a handler', eventId: 1 },
    expect.stringMatching(/^a handler: did not end within 10 s/),
  ])
})

test('a parked run is settled and has no limit', async () => {
  const t = rig()
  void t.run(1)
  void t.run(2)
  t.runs.park(1)
  t.runs.park(5)
  await t.clock.advance(0)
  expect(t.settled).toEqual([1])
  await t.clock.advance(10_000)
  expect(t.apologies).toEqual([[2, 'took_too_long']])
})

test.each([
  ['throws', () => void fail()],
  ['rejects', async () => fail()],
])('a bot that %s is logged, and the run settles', async (_, handle) => {
  for (const file of ['commands/ping.ts', null]) {
    const t = rig({ handle, file })
    await t.run(1)
    const name = file ?? 'a handler'
    expect(t.lines).toEqual([
      [{ code: 'ERR_HANDLER', file: name, eventId: 1, error: new Error('a fault') }, `${name}: failed (event 1)`],
    ])
    await t.clock.advance(10_000)
    expect([t.outcomes, t.apologies]).toEqual([[], []])
  }
})

test('closed runs have no limit', async () => {
  const t = rig()
  void t.run(1)
  t.runs.close()
  await t.clock.advance(60_000)
  expect([t.settled, t.lines, t.clock.waiting]).toEqual([[], [], 0])
})

test('a second delivery of an event is independent of the first', async () => {
  const t = rig()
  void t.run(1)
  const first = t.open.get(1)!
  await t.clock.advance(1000)
  void t.run(1)
  first.resolve()
  await t.clock.advance(0)
  expect(t.settled).toEqual([1])
  await t.clock.advance(10_000)
  expect(t.apologies).toEqual([[1, 'took_too_long']])
  expect(t.settled).toEqual([1, 1])
})

function fail(): never {
  throw new Error('a fault')
}
