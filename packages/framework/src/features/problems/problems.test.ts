import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import type { ObservedBot } from '../../runtime/ports/bot-facts.ts'
import { BotProblems } from './bot-problems.ts'
import { BudgetMinutes } from './budget-minutes.ts'
import { FileRuns } from './file-runs.ts'
import { type HealthFacts, HealthWatch } from './health-facts.ts'
import { type Problem, problemsOf, type Seen } from './problems.ts'
import { RunningEvents } from './running-events.ts'
import { Senders } from './senders.ts'

const seen = (facts: Partial<Seen> = {}): Seen => ({
  ...{
    files: new FileRuns(),
    lost: [],
    servers: [],
    queues: [],
    sender: undefined,
    countsCalls: true,
    minutes: [],
    clean: (text) => text,
  },
  ...facts,
})
const facts = (bot: { rest?: object; webhook?: object; stats?: object; serviceAheadMs?: number }) =>
  ({
    ...{ state: 'running', nowMs: 0, monotonicMs: 1000, delivery: 'poll', mostWaiting: 10 },
    bot: {
      setAside: 0,
      serviceAheadMs: 0,
      ...bot,
      stats: { lastPollMs: 0, ...bot.stats },
      rest: { waiting: 0, ...bot.rest },
    },
  }) as unknown as HealthFacts
/** A moment of a host whose clock is right. */
const at = (ms: number) => ({ nowMs: ms, monotonicMs: ms })
const one = (problems: Problem[]) => (expect(problems).toHaveLength(1), problems[0]!)

test('messages that wait for reserved slots are a problem, too', () => {
  const rest = { waiting: 12, used: 25, limit: 30, freeInMs: 0 }
  expect(one(problemsOf(facts({ rest }), seen()))).toMatchObject({
    code: 'budget_used_up',
    text: '12 messages waiting for the message budget: 25 of 30 slots are used, and the others are reserved for replies. Most of it was used by broadcasts, by other instances or before the start',
  })
  const sender = { file: 'commands/spam.ts', person: 'u1', sent: 20, total: 22 }
  expect(one(problemsOf(facts({ rest }), seen({ sender }))).text).toMatch(
    /commands\/spam\.ts sent the most messages: 20 within the last minute, most of them for the user u1$/,
  )
})

test('without a control room, calls are not counted by file', () => {
  const rest = { waiting: 12, used: 30, limit: 30, freeInMs: 1000 }
  expect(one(problemsOf(facts({ rest }), seen({ countsCalls: false }))).text).toMatch(
    /; the next slot is free in 1 s\. The file that sends the most is known with a control room \(BOT_CONTROL_TOKEN\)$/,
  )
})

test('webhooks that were signed with another secret are a problem until one is accepted', () => {
  const webhook = { accepted: 5, wrongSecret: 3, lastAcceptedMs: 100, lastWrongSecretMs: 900 }
  expect(one(problemsOf(facts({ webhook }), seen()))).toMatchObject({
    code: 'webhook_secret',
    text: 'The signature of 3 event webhooks does not match BOT_WEBHOOK_SECRET, and none has been accepted since',
  })
  expect(problemsOf(facts({ webhook: { ...webhook, lastAcceptedMs: 950 } }), seen())).toEqual([])
})

test.each([
  [-9, undefined],
  [-11, 'The clock of this host is 11 s ahead of the service'],
  [3600, 'The clock of this host is 3600 s behind the service'],
])('a service that is %i s ahead: %s', (seconds, text) => {
  const texts = problemsOf(facts({ rest: { dateAheadMs: seconds * 1000 } }), seen()).map((problem) => problem.text)
  expect(texts).toEqual(text === undefined ? [] : [text])
})

test('access that the bot has lost in a server', () => {
  const lost = [{ server: 'Workshop', lost: ['the channel #news', 'the permission kick_members'], atMs: 0 }]
  expect(one(problemsOf(facts({}), seen({ lost })))).toMatchObject({
    code: 'access_lost',
    text: 'In the server "Workshop" the bot has lost the channel #news, the permission kick_members',
  })
})

test('slow handlers: the longest queue and the slowest handler have names', () => {
  const queue = {
    channel_id: 'c1',
    channel: 'general',
    waiting: 20,
    oldest_at: '',
    running_seconds: 3,
    file: 'commands/a.ts',
    most: [],
  }
  const slow = {
    ...queue,
    channel_id: 'c2',
    channel: 'random',
    waiting: 2,
    running_seconds: 45,
    file: 'commands/slow.ts',
  }
  expect(one(problemsOf(facts({ stats: { waiting: 22 } }), seen({ queues: [queue, slow] })))).toMatchObject({
    code: 'handlers_slow',
    text: '22 events are waiting: the handlers cannot keep up; the longest queue is that of the channel c1, in which 20 wait, and commands/slow.ts has run for 45 s in that of the channel c2',
  })
})

test('without a date of the service, its events are compared', () => {
  expect(one(problemsOf(facts({ serviceAheadMs: -60_000 }), seen())).code).toBe('clock_wrong')
})

test('the cause and its fix are those of the log', () => {
  const pollFailure = 'the poll failed: events.list: no connection to https://chat.example (CERT_HAS_EXPIRED)'
  const stats = { lastPollMs: -100_000, pollFailure }
  expect(one(problemsOf(facts({ stats }), seen()))).toEqual({
    code: 'service_unreachable',
    text: `The last poll succeeded 101 s ago: ${pollFailure}`,
    fix: 'The certificate of the service has expired: renew it, or correct the clock of this host',
  })
})

test('a file that fails seldom is not a problem, and one that ended its thread for its memory is one of its own', () => {
  const files = new FileRuns()
  const outcome = { eventId: 1, type: 'message', file: 'commands/a.ts' }
  const error = { message: 'no', at: 'commands/a.ts:3', reference: 'ab12' }
  files.observe({ ...outcome, result: 'error', error }, at(0), 'u1')
  for (let n = 0; n < 30; n++) files.observe({ ...outcome, result: 'ok' }, at(0), 'u1')
  expect(problemsOf(facts({}), seen({ files }))).toEqual([])
  files.observe({ ...outcome, file: 'events/message.ts', result: 'crashed', outOfMemory: true, error }, at(0))
  expect(problemsOf(facts({}), seen({ files })).map(({ code }) => code)).toEqual(['handler_out_of_memory'])
})

test('a state that is locked: the problem of the file has the cause and the fix of the log', () => {
  const files = new FileRuns()
  const outcome = { eventId: 1, type: 'message', file: 'commands/a.ts', result: 'error' as const }
  const fail = (message: string) =>
    files.observe({ ...outcome, error: { message, at: 'commands/a.ts:3', reference: '', code: 'ERR_STATE' } }, at(0))
  fail('/srv/bot/.botwright/state.db: another program has locked it: close that program')
  expect(one(problemsOf(facts({}), seen({ files })))).toMatchObject({
    code: 'handler_failing',
    text: 'commands/a.ts fails: 1 of 1 run within the last hour; the last error was at commands/a.ts:3: state.db: another program has locked it',
    fix: 'Close that program',
  })
  fail('Redis over HTTP: "state:user:what ann wrote" is damaged and cannot be read')
  expect(one(problemsOf(facts({}), seen({ files })))).toMatchObject({
    text: 'commands/a.ts fails: 2 of 2 runs within the last hour; the last error was at commands/a.ts:3',
    fix: expect.stringMatching(/^The stored data cannot be read or written: the log has the reason/) as string,
  })
})

test('after an hour, a failure is over, and the next one is the first', () => {
  const files = new FileRuns()
  const outcome = { eventId: 1, type: 'message', file: 'commands/a.ts', result: 'error' as const }
  const fail = (message: string, nowMs: number, person: string) =>
    files.observe({ ...outcome, error: { message, at: 'commands/a.ts:3', reference: '' } }, at(nowMs), person)
  fail('former', 0, 'u1')
  expect(files.failing(3_600_001, String)).toEqual([])
  fail('first', 4_000_000, 'u2')
  fail('last', 4_000_001, 'u2')
  expect(files.failing(4_000_002, String)).toMatchObject([
    { runs: 2, failures: 2, people: 1, errors: { first: { message: 'first' }, last: { message: 'last' } } },
  ])
})

test.each([
  ['failures of one server', ['a', 'a'], ', only in the server "Annex"'],
  ['failures of two servers', ['a', 'b'], ''],
  ['failures of a direct message, too', ['a', undefined], ''],
  ['a server that is not known', ['c', 'c'], ''],
])('%s', (_name, [first, second], where) => {
  const files = new FileRuns()
  const error = { message: 'no', at: 'commands/a.ts:3', reference: '' }
  const fail = (server: string | undefined) =>
    files.observe({ eventId: 1, type: 'x', file: 'commands/a.ts', result: 'error', error }, at(0), 'u1', server)
  fail(first)
  fail(second)
  const servers = ['Annex', 'Workshop'].map((name, i) => ({ id: 'ab'[i]!, name }))
  const text = (known: readonly { id: string; name: string }[]) =>
    one(problemsOf(facts({}), seen({ files, servers: known }))).text
  expect(text(servers)).toContain(`, for 1 person${where}; the last error`)
  // With a single server, its name helps no one.
  expect(text(servers.slice(0, 1))).toContain(', for 1 person; the last error')
})

test('a failing file lists the last events that failed within the last hour, but not its own work', () => {
  const files = new FileRuns()
  const error = { message: 'no', at: 'tasks/a.ts:3', reference: '' }
  const fail = (eventId: number | string, nowMs: number) =>
    files.observe({ eventId, type: 'x', file: 'commands/a.ts', result: 'error', error }, at(nowMs))
  fail(1, 0)
  for (const id of [2, 3, -1, '4@1']) fail(id, 3_600_000)
  const events = () => files.failing(3_600_001, String)[0]!.events
  expect(events()).toEqual([2, 3, 4])
  for (let id = 5; id < 30; id++) fail(id, 3_600_000)
  expect([events().length, events()[0]]).toEqual([10, 20])
})

test('the hour of failures does not depend on the clock of the host, which may be set', () => {
  const files = new FileRuns()
  const error = { message: 'no', at: 'commands/a.ts:3', reference: '' }
  const outcome = { eventId: 1, type: 'message', file: 'commands/a.ts', error }
  const [dayMs, hourMs] = [86_400_000, 3_600_000]
  files.observe({ ...outcome, result: 'error' }, { nowMs: dayMs, monotonicMs: 0 })
  files.observe({ ...outcome, result: 'crashed' }, { nowMs: dayMs, monotonicMs: 0 })
  files.observe({ ...outcome, result: 'ok' }, at(1))
  const later = { ...facts({}), nowMs: hourMs, monotonicMs: hourMs + 1 }
  later.bot!.stats.lastPollMs = hourMs
  expect(problemsOf(later, seen({ files }))).toEqual([])
})

test('the people of a file are those of its failures within the last hour', () => {
  const files = new FileRuns()
  const outcome = { eventId: 1, type: 'message', file: 'commands/a.ts', result: 'error' as const }
  for (let n = 0; n < 4; n++) files.observe(outcome, at(n * 2_000_000), `u${n}`)
  expect(files.failing(6_000_001, String)).toMatchObject([{ failures: 2, people: 2 }])
})

test('an event that is set aside because of its burst or of the token is not a crash', () => {
  const files = new FileRuns()
  const outcome = { eventId: 1, type: 'message', file: 'events/message.ts' }
  files.observe({ ...outcome, result: 'crashed', blocked: true }, at(0))
  files.observe({ ...outcome, result: 'dead_lettered', blocked: true }, at(0))
  files.observe({ ...outcome, result: 'dead_lettered' }, at(0))
  files.observe({ ...outcome, file: 'commands/a.ts', result: 'dead_lettered' }, at(0))
  expect(problemsOf(facts({}), seen({ files })).map(({ code }) => code)).toEqual(['handler_blocked', 'handler_failing'])
})

test('the sender is the file with the most messages, with a person only if most of them are for that one', () => {
  const events = new RunningEvents()
  const senders = new Senders(events)
  const send = (id: number, file: string, person: string) => {
    events.received({ event: { id, type: 'message', data: { author_id: person } } } as never)
    events.handledBy(id, file)
    senders.called(
      { ...{ eventId: id, name: 'messages.create', input: {} }, ...{ atMs: 0, ms: 0, budgetMs: 0, attempts: 1 } },
      id,
    )
  }
  for (let n = 1; n <= 5; n++) send(n, 'commands/many.ts', `u${n}`)
  for (let n = 6; n <= 8; n++) send(n, 'commands/one.ts', 'u1')
  expect(senders.most(10)).toEqual({ file: 'commands/many.ts', person: undefined, sent: 5, total: 8 })
  for (let n = 9; n <= 12; n++) send(n, 'commands/one.ts', 'u1')
  expect(senders.most(13)).toEqual({ file: 'commands/one.ts', person: 'u1', sent: 7, total: 12 })
  expect(senders.most(60_020)).toBeUndefined()
})

test('the minutes of the budget are of the last hour after the clock is set back, too', () => {
  const minutes = new BudgetMinutes()
  const sample = { sent: 0, used: 0, waiting: 0, rateLimited: 0 }
  minutes.sample({ ...sample, rateLimited: 1 }, 86_400_000)
  minutes.sample({ ...sample, rateLimited: 1 }, 60_000)
  expect(minutes.list(60_000)).toMatchObject([{ at: '1970-01-01T00:01:00.000Z', rate_limited: 1 }])
  minutes.sample({ ...sample, rateLimited: 1 }, 3_720_000)
  expect(minutes.list(3_720_000)).toMatchObject([{ rate_limited: 0 }])
})

test('a queue that waits for a worker has no running handler, and no name of a channel, which people write', () => {
  const queue = {
    channel_id: 'c1',
    channel: 'secret-plan',
    waiting: 20,
    oldest_at: '',
    running_seconds: null,
    file: null,
    most: [],
  }
  const { text } = one(problemsOf(facts({ stats: { waiting: 20 } }), seen({ queues: [queue] })))
  expect(text).toBe(
    '20 events are waiting: the handlers cannot keep up; the longest queue is that of the channel c1, in which 20 wait',
  )
})

test('a thread that is blocked does not delay a probe by a second', async () => {
  const clock = new VirtualClock()
  const watch = new HealthWatch(await readConfig({}), clock)
  const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
  using problems = new BotProblems({ clock, watch, log, env: undefined, clean: String })
  const current = { event: { id: 1, type: 'message', data: {}, created_at: '' }, attempt: 1 }
  const rest = { waiting: 0, used: 0, sent: 0, rateLimited: 0 }
  watch.bot = {
    refresh: async () => {},
    facts: () => ({ rest }),
    queues: () => [{ current, isRunning: true, waiting: 0 }],
    files: () => new Promise(() => {}),
  } as unknown as ObservedBot
  await problems.refresh()
  let isDone = false
  const done = problems.lookUp().then(() => (isDone = true))
  await clock.advance(200)
  expect(isDone).toBe(false)
  await clock.advance(100)
  await done
})
