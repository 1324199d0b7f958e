import { VirtualClock } from '@botwright/clock'
import { expect, test, vi } from 'vitest'
import { answer, badService, drive, id, until, type Behaviour } from './bad-service.test.fixture.ts'
import { createCall } from './calls/http-call.ts'
import { rig } from './rig.test.fixture.ts'

const channel_id = id(9)

/** Sends a body in these chunks. */
const chunked =
  (...chunks: string[]): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const next = () => {
      const chunk = chunks.shift()
      if (chunk === undefined) response.end()
      else response.write(chunk, () => setImmediate(next))
    }
    next()
  }

test('a body may arrive in several chunks', async () => {
  await using it = await rig([chunked('{"id":"', 'é', '","a":', '1}')])
  expect(await it.call('me.get', {})).toEqual({ id: 'é', a: 1 })
})

test('a body may have exactly as many bytes as allowed', async () => {
  const body = '{"id":"é"}'
  const bytes = Buffer.byteLength(body)
  await using exact = await rig([answer(200, body)], { maxAnswerBytes: bytes })
  expect(await exact.call('me.get', {})).toEqual({ id: 'é' })
  await using larger = await rig([answer(200, body)], { maxAnswerBytes: bytes - 1 })
  const error = await drive(larger.clock, larger.call('me.get', {}))
  expect(error).toMatchObject({ code: 'ERR_BAD_ANSWER', message: expect.stringContaining(`than ${bytes - 1} bytes`) })
})

test('a body that arrives slowly does not change the difference of the clocks', async () => {
  const clock = new VirtualClock()
  const date = new Date(clock.now()).toUTCString()
  let end: (() => void) | undefined
  const slow: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', date })
    response.write('{"id":')
    end = () => response.end('"a"}')
  }
  await using it = await rig([slow], { clock })
  const now = vi.spyOn(clock, 'now')
  const called = it.call('me.get', {})
  await until(() => end !== undefined)
  // The client notes the time when it has the headers.
  await until(() => now.mock.calls.length > 0)
  await clock.advance(20_000)
  end!()
  await called
  expect(it.call.stats().dateAheadMs).toBe(500)
})

test('only a request with a body has a content type', async () => {
  await using it = await rig([answer(200, { id: id(1) })])
  await it.call('me.get', {})
  await it.call('messages.create', { channel_id, content: 'x' })
  expect(it.seen.map(({ headers }) => headers['content-type'])).toEqual([undefined, 'application/json'])
  expect(it.seen.map(({ headers }) => headers.accept)).toEqual(['application/json', 'application/json'])
})

test('the budget is the one of the options, and none if it is false', async () => {
  await using small = await rig([answer(200, { id: id(1) })], { messageBudget: { requests: 2, seconds: 10 } })
  for (let n = 0; n < 2; n++) await small.call('messages.create', { channel_id, content: 'x' })
  expect(small.call.stats()).toMatchObject({ limit: 2, used: 2, freeInMs: 10_001, sent: 2 })
  const third = small.call('messages.create', { channel_id, content: 'x' })
  expect(small.call.stats()).toMatchObject({ waiting: 1 })
  expect(small.reports).toMatchObject([{ code: 'budget-used-up', level: 'warn', seconds: 11 }])
  await drive(small.clock, third)
  await using none = await rig([answer(200, { id: id(1) })], { messageBudget: false })
  await none.call('messages.create', { channel_id, content: 'x' })
  expect(none.call.stats()).toEqual({
    ...{ requests: 1, retries: 0, rateLimited: 0, sent: 1 },
    ...{ waiting: 0, used: 0, limit: Infinity, freeInMs: 0, dateAheadMs: expect.any(Number) as number },
  })
})

test('closing the client ends waiting messages and waits between attempts', async () => {
  await using it = await rig([answer(503)], { messageBudget: { requests: 1, seconds: 10 } })
  const retried = it.call('me.get', {})
  await until(() => it.call.stats().retries === 1)
  await using other = await rig([answer(200, { id: id(1) })], { messageBudget: { requests: 1, seconds: 10 } })
  await other.call('messages.create', { channel_id, content: 'x' })
  const waits = other.call('messages.create', { channel_id, content: 'x' })
  const ended = Promise.allSettled([retried, waits])
  await Promise.all([it.call[Symbol.asyncDispose](), other.call[Symbol.asyncDispose]()])
  expect(await ended).toMatchObject([{ reason: { code: 'ERR_ABORTED' } }, { reason: { code: 'ERR_ABORTED' } }])
})

test('a client works without a listener for reports, and any number of calls may wait without a warning of Node', async () => {
  const clock = new VirtualClock()
  await using service = await badService([answer(503)])
  const call = createCall({ baseUrl: service.baseUrl, token: 't', clock, timeoutMs: 1e9 })
  await call.warm()
  const warnings: string[] = []
  const note = ({ name }: Error) => warnings.push(name)
  process.on('warning', note)
  const commands = Array.from({ length: 51 }, (_, n) => ({ name: `c${n}`, description: '' }))
  const all = Promise.allSettled([
    call('commands.replace', { commands }),
    ...Array.from({ length: 30 }, () => call('me.get', {})),
  ])
  await until(() => call.stats().retries === 31)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  await call[Symbol.asyncDispose]()
  for (const one of await all) expect(one).toMatchObject({ reason: { code: 'ERR_ABORTED' } })
  expect(warnings).toEqual([])
})
