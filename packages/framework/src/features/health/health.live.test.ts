import { readFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { DatabaseError, openDatabase } from '@botwright/sqlite'
import { expect, test } from 'vitest'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryCluster } from '../cluster/memory-cluster.test.fixture.ts'
import type { HealthFacts } from '../problems/health-facts.ts'
import { BotMetrics } from './metrics.ts'
import { readinessOf, type Readiness } from './readiness.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const files = {
  'commands/ping.ts': "export default (ctx) => 'pong ' + ctx.typed",
  'commands/boom.ts': "export default () => { throw new Error('boom') }",
  'commands/crash.ts': 'export default (ctx) => { if (!ctx.redelivered) process.exit(3) }',
}
const config = { health: { port: 0 } }

/** The address that the bot logged. */
const addressOf = (rig: ChatRig) =>
  rig
    .logged('info')
    .map((line) => /^health endpoint listening on (http:.*)$/.exec(line)?.[1])
    .findLast((url) => url !== undefined)!
const ready = async (rig: ChatRig) => {
  const answer = await fetch(`${addressOf(rig)}/readyz`)
  return { status: answer.status, body: (await answer.json()) as Readiness }
}
const metricsOf = async (rig: ChatRig): Promise<Map<string, number>> => {
  const text = await (await fetch(`${addressOf(rig)}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

test('reports whether events reach the handlers, and their results', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(files, { config, keepSpare: true })
  await rig.until(async () => (await ready(rig)).status === 200)
  expect((await ready(rig)).body).toMatchObject({ ready: true, reasons: [], waiting: 0, running: 0, set_aside: 0 })
  expect((await fetch(`${addressOf(rig)}/livez`)).status).toBe(200)
  expect((await fetch(`${addressOf(rig)}/nothing`)).status).toBe(404)
  expect((await fetch(`${addressOf(rig)}/livez`, { method: 'POST' })).status).toBe(405)

  const texts = ['/ping a', '/ping b', '/boom', 'hello']
  for (const [n, text] of texts.entries()) await rig.says('ann', text, `c${n}`)
  await rig.until(() => bot.stats().finished === 4)
  await rig.says('ann', '/crash', 'random')
  await rig.until(() => bot.stats().finished === 5)
  await bot.replace(rig.source(files))
  const metrics = await metricsOf(rig)
  expect(Object.fromEntries(metrics)).toMatchObject({
    botwright_ready: 1,
    'botwright_events_received_total{type="message"}': 5,
    'botwright_events_handled_total{type="message",file="commands/ping.ts",result="ok"}': 2,
    'botwright_events_handled_total{type="message",file="commands/crash.ts",result="ok"}': 1,
    'botwright_events_handled_total{type="message",file="commands/boom.ts",result="error"}': 1,
    'botwright_handler_seconds_count{file="commands/ping.ts"}': 2,
    botwright_messages_sent_total: 3,
    botwright_message_budget_used: 3,
    botwright_rate_limited_total: 0,
    botwright_reloads_total: 1,
    botwright_worker_restarts_total: 1,
    botwright_events_waiting: 0,
    botwright_events_set_aside: 0,
  })
  for (const name of [
    'botwright_journal_commits_total',
    'botwright_journal_bytes',
    'botwright_polls_total',
    'process_resident_memory_bytes',
  ])
    expect(metrics.get(name), name).toBeGreaterThan(0)
  const address = addressOf(rig)
  await bot.stop()
  await expect(fetch(`${address}/livez`)).rejects.toThrow()
})

test.each([false, true])(
  'the age of events does not depend on the clock of the host; cluster: %s',
  inAll,
  async (isCluster) => {
    await using rig = await ChatRig.start()
    const clock = { ...systemClock, now: () => Date.now() + 16 * 60_000 }
    const slow = 'export default () => new Promise((resolve) => setTimeout(resolve, 60_000))'
    const cluster = isCluster ? new MemoryCluster() : undefined
    const bot = await rig.startBot(
      { ...files, 'commands/slow.ts': slow },
      { config, clock, ...(cluster && { cluster }) },
    )
    await rig.says('ann', '/ping')
    await rig.until(() => bot.stats().finished === 1)
    await rig.says('ann', '/slow')
    await rig.until(() => bot.stats().running === 1)
    expect((await ready(rig)).body.lag_seconds).toBeLessThan(60)
    const metrics = await metricsOf(rig)
    expect((await ready(rig)).body).toMatchObject({
      ready: true,
      problems: [
        {
          code: 'clock_wrong',
          text: expect.stringMatching(/^The clock of this host is 9(59|60|61) s ahead of the service$/) as string,
        },
      ],
    })
    expect(Math.abs(metrics.get('botwright_clock_ahead_seconds')! - 960)).toBeLessThan(2)
    for (const name of ['events', 'cluster']) expect(metrics.get(`botwright_${name}_lag_seconds`) ?? 0).toBeLessThan(60)
    await bot.stop({ graceMs: 0 })
    cluster?.close()
  },
)

test('reports a starting bot as not ready, and names a port that is in use', inAll, async () => {
  await using rig = await ChatRig.start()
  let response: Awaited<ReturnType<typeof ready>> | undefined
  const bot = await rig.startBot(files, { config, prepare: async () => void (response = await ready(rig)) })
  await bot.stop()
  expect(response).toMatchObject({ status: 503, body: { ready: false, reasons: ['the bot is starting'] } })
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await expect(rig.startBot(files, { config: { health: { port } } })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringContaining(`health: port ${port} of 127.0.0.1 is in use by another program`),
  })
  server.close()
})

test('a start that waits for its store does not blame the service, which has answered since', inAll, async () => {
  await using rig = await ChatRig.start()
  const down = { then: { status: 503, body: { error: 'down' } }, times: 4 }
  await rig.fault('GET', '/v1/me', down)
  let open: (() => void) | undefined
  const store = () => new Promise<StateStore>((resolve) => (open = () => resolve(new MemoryStore(systemClock))))
  const starting = rig.startBot(files, { config: { ...config, store } })
  const reasons = async () => (await ready(rig)).body.reasons
  await rig.until(() => addressOf(rig) !== undefined)
  await rig.until(async () => (await reasons()).join().includes('503'))
  await rig.until(() => open !== undefined)
  expect(await reasons()).toEqual(['the bot is starting'])
  open!()
  await starting
})

test('a failing handler is information on /readyz, without its error, which may quote a person', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(
    { ...files, 'commands/boom.ts': 'export default (ctx) => { throw new Error(ctx.typed) }' },
    { config },
  )
  await rig.until(async () => (await ready(rig)).status === 200)
  expect((await ready(rig)).body).toMatchObject({ problems: [] })
  await rig.says('ann', '/boom my own words')
  await rig.until(() => bot.stats().finished === 1)
  const { status, body } = await ready(rig)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ready: true,
    reasons: [],
    problems: [
      {
        code: 'handler_failing',
        text: expect.stringMatching(
          /^commands\/boom\.ts fails: 1 of 1 run within the last hour, for 1 person; the last error was at \S+boom\.\w+:1$/,
        ) as string,
      },
    ],
  })
  expect(JSON.stringify(body)).not.toContain('my own words')
})

test('a disk that cannot be read ends neither the bot nor the answers about it', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  let isBroken = false
  /** A database whose statements fail like those on a broken disk. */
  const fragile: typeof openDatabase = (...given) => {
    const db = openDatabase(...given)
    const prepare = db.prepare.bind(db)
    return Object.assign(db, {
      prepare<R>(sql: string) {
        if (isBroken) throw new DatabaseError('io', 'disk I/O error')
        return prepare<R>(sql)
      },
    })
  }
  await rig.startBot(files, { clock, config, dispatcher: 'inline', openDatabase: fragile })
  await rig.until(async () => (await ready(rig)).status === 200)
  isBroken = true
  // The message budget is sampled.
  clock.advance(6000)
  expect(await ready(rig)).toMatchObject({ body: { set_aside: 0 } })
  isBroken = false
})

const facts = (bot: object, state: HealthFacts['state'] = 'running') =>
  ({
    state,
    nowMs: 1_000_000,
    monotonicMs: 1_000_000,
    delivery: 'poll',
    mostWaiting: 10,
    bot,
  }) as unknown as HealthFacts
test.each([
  ['the bot is stopping', facts({ stats: { lastPollMs: 999_000 }, journal: {} }, 'stopping')],
  [
    "the service rejects the bot's token (401), so the bot stops",
    { ...facts({ stats: { lastPollMs: 999_000 }, journal: {} }, 'stopping'), end: { reason: 'unauthorized' as const } },
  ],
  ['no poll has succeeded yet', facts({ stats: {}, journal: {} })],
  ['the last poll succeeded 100 s ago', facts({ stats: { lastPollMs: 900_000 }, journal: {} })],
  [
    'the last poll succeeded 100 s ago: the poll failed: no connection to https://chat.example (CERT_HAS_EXPIRED)',
    facts({
      stats: {
        lastPollMs: 900_000,
        pollFailure: 'the poll failed: no connection to https://chat.example (CERT_HAS_EXPIRED)',
      },
      journal: {},
    }),
  ],
  [
    'no poll has succeeded yet: the poll failed: no connection to https://chat.example (ENOTFOUND)',
    facts({
      stats: { pollFailure: 'the poll failed: no connection to https://chat.example (ENOTFOUND)' },
      journal: {},
    }),
  ],
  [
    'the journal has not been writable for 30 s: database is locked',
    facts({
      stats: { lastPollMs: 999_000 },
      journal: { failingSinceMs: 970_000, failure: { reason: 'database is locked', fix: 'end the other program' } },
    }),
  ],
  [
    'the journal has not been writable for 30 s',
    facts({ stats: { lastPollMs: 999_000 }, journal: { failingSinceMs: 970_000 } }),
  ],
  ['11 events are waiting', facts({ stats: { lastPollMs: 999_000, waiting: 11 }, journal: {} })],
])('not ready: %s', (reason, state) => {
  const { ready, reasons } = readinessOf(state)
  expect({ ready, reasons: reasons.length }).toEqual({ ready: false, reasons: 1 })
  expect(reasons[0]).toContain(reason)
})

test('lists the same metrics as docs/monitoring.md', async () => {
  using metrics = new BotMetrics(() =>
    facts({ stats: {}, journal: {}, rest: {}, runs: { counts: {}, countWaiting: () => 0 } }),
  )
  const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
  const page = readFileSync(new URL('../../../docs/monitoring.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `((?:botwright|process)_\w+)/gm)].map(([, name]) => name)
  expect(documented.toSorted()).toEqual(names.toSorted())
})

test('counts further event types as other after 50, to limit the labels', async () => {
  using metrics = new BotMetrics(() =>
    facts({ stats: {}, journal: {}, rest: {}, runs: { counts: {}, countWaiting: () => 0 } }),
  )
  for (let n = 0; n < 500; n++) metrics.received(`type_${n}`)
  const text = await metrics.text()
  expect(text.match(/^botwright_events_received_total\{/gm)).toHaveLength(51)
  expect(text).toContain('botwright_events_received_total{type="other"} 450')
})

test.each([
  ['127.0.0.1', 'evil.example', 403],
  ['127.0.0.1', 'localhost:9090', 200],
  ['127.0.0.1', '[::1]:9090', 200],
  ['0.0.0.0', 'bot.internal', 200],
])('bound to %s, answers Host %s with %i', inAll, async (host, named, status) => {
  await using rig = await ChatRig.start()
  await rig.startBot(files, { config: { health: { port: 0, host } } })
  await rig.until(async () => (await fetch(`http://127.0.0.1:${new URL(addressOf(rig)).port}/readyz`)).status === 200)
  const { port } = new URL(addressOf(rig))
  for (const path of ['/livez', '/readyz', '/metrics']) {
    const answered = await new Promise<{ status?: number; type?: string; body: string }>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, headers: { host: named } }, (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () =>
          resolve({ status: response.statusCode!, type: response.headers['content-type']!, body }),
        )
      }).on('error', reject)
    })
    expect(answered.status).toBe(status)
    if (status === 403) expect(JSON.parse(answered.body)).toEqual({ error: expect.stringContaining('Host') })
  }
})
