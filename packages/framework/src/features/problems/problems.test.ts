import { expect, test } from 'vitest'
import { FileRuns } from './file-runs.ts'
import type { HealthFacts } from './health-facts.ts'
import { type Problem, problemsOf, type Seen } from './problems.ts'

const seen = (facts: Partial<Seen> = {}): Seen => ({
  ...{
    files: new FileRuns(),
    lost: [],
    queues: [],
    sender: undefined,
    minutes: [],
    end: undefined,
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
const one = (problems: Problem[]) => (expect(problems).toHaveLength(1), problems[0]!)

test('messages that wait for reserved slots are a problem, too', () => {
  const rest = { waiting: 12, used: 25, limit: 30, freeInMs: 0 }
  expect(one(problemsOf(facts({ rest }), seen()))).toMatchObject({
    code: 'budget_used_up',
    text: '12 messages waiting for the message budget: 25 of 30 slots are used, and the others are reserved for replies. Broadcasts use most of it',
  })
  const sender = { file: 'commands/spam.ts', person: 'u1', sent: 20, total: 22 }
  expect(one(problemsOf(facts({ rest }), seen({ sender }))).text).toMatch(
    /commands\/spam\.ts uses most of it: 20 within the last minute for the user u1$/,
  )
})

test('webhooks that were signed with another secret are a problem until one is accepted', () => {
  const webhook = { accepted: 5, wrongSecret: 3, lastAcceptedMs: 100, lastWrongSecretMs: 900 }
  expect(one(problemsOf(facts({ webhook }), seen()))).toMatchObject({
    code: 'webhook_secret',
    text: '3 event webhooks had a signature of another secret than BOT_WEBHOOK_SECRET, and none has been accepted since',
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
  }
  const slow = { ...queue, channel: 'random', waiting: 2, running_seconds: 45, file: 'commands/slow.ts' }
  expect(one(problemsOf(facts({ stats: { waiting: 22 } }), seen({ queues: [queue, slow] })))).toMatchObject({
    code: 'handlers_slow',
    text: '22 events are waiting: the handlers cannot keep up; the longest queue is #general with 20 waiting, and commands/slow.ts has run for 45 s in #random',
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
  files.observe({ ...outcome, result: 'error', error }, 0, 'u1')
  for (let n = 0; n < 30; n++) files.observe({ ...outcome, result: 'ok' }, 0, 'u1')
  expect(problemsOf(facts({}), seen({ files }))).toEqual([])
  files.observe({ ...outcome, file: 'events/message.ts', result: 'crashed', outOfMemory: true, error }, 0)
  expect(problemsOf(facts({}), seen({ files })).map(({ code }) => code)).toEqual(['handler_out_of_memory'])
})

test('after an hour, a failure is over, and the next one is the first', () => {
  const files = new FileRuns()
  const outcome = { eventId: 1, type: 'message', file: 'commands/a.ts', result: 'error' as const }
  const fail = (message: string, nowMs: number, person: string) =>
    files.observe({ ...outcome, error: { message, at: 'commands/a.ts:3', reference: '' } }, nowMs, person)
  fail('former', 0, 'u1')
  expect(files.failing(3_600_001, String)).toEqual([])
  fail('first', 4_000_000, 'u2')
  fail('last', 4_000_001, 'u2')
  expect(files.failing(4_000_002, String)).toMatchObject([
    { runs: 2, failures: 2, people: 1, errors: { first: { message: 'first' }, last: { message: 'last' } } },
  ])
})
