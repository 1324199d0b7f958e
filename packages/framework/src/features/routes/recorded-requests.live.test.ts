import { join } from 'node:path'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { History } from '../history/history.ts'
import { timelineOf } from '../history/timeline.ts'
import { post, signed, startBot } from './route-rig.test.fixture.ts'
import { stepTexts } from '../history/step-texts.test.fixture.ts'

/** A clock of a host whose time is corrected. */
class HostClock extends AdvanceableClock {
  behindMs = 0
  override now(): number {
    return super.now() - this.behindMs
  }
}

const read = (rig: ChatRig, route: string) => {
  using history = new History(join(rig.root, '.botwright/history.db'))
  return history.events({ route })
}
const config = { record: true } as const
const bodyOf = (request: unknown) => (request as { data: { request: { json?: object; text?: string } } }).data.request

test.each(['inline', 'worker'] as const)('runs of routes are recorded with their steps (%s)', async (dispatcher) => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const files = {
    'routes/[team]/alert.ts': `export default route('/[team]/alert', {
  verify: false,
  retry: true,
  run: async (ctx) => {
    await ctx.send(ctx.env.CHANNEL, ctx.params.team + ': ' + ctx.body.text + (ctx.redelivered ? '!' : ''))
    if (!ctx.redelivered) throw new Error('no pager')
  },
})`,
    'routes/status.get.ts': "export default route({ verify: false, respond: true, run: () => 'fine' })",
  }
  const bot = await startBot(rig, files, { dispatcher, clock, config })
  expect((await post(rig, '/ops/alert', { text: 'fire' })).status).toBe(202)
  await rig.until(() => rig.logged('warn').join().includes('runs again in 10 s'))
  clock.advance(10_000)
  await rig.until(async () => (await bot.store.list('route:row:')).length === 0)
  expect((await bot.fetch(new Request('http://bot.test/status?full=1'))).status).toBe(200)
  await bot.stop()
  const [first, last, ...more] = read(rig, 'POST /[team]/alert')
  expect(more).toEqual([])
  expect(first).toMatchObject({
    ...{ type: 'route', file: 'routes/[team]/alert.ts', result: 'error', error: 'no pager' },
    ...{ at: expect.stringMatching(/alert\.mjs:8$/) as unknown, calls: [{ name: 'messages.create' }] },
    data: { route: 'POST /[team]/alert', request: { path: '/ops/alert', json: { text: 'fire' } } },
  })
  expect(last).toMatchObject({ result: 'ok' })
  const timeline = timelineOf(first!)
  expect(timeline.event.title).toBe('POST /[team]/alert')
  expect(stepTexts(timeline)).toEqual([
    'received',
    'handler routes/[team]/alert.ts',
    'send “ops: fire”',
    'failed: no pager',
  ])
  expect(timelineOf(last!).steps[0]!.text).toBe('received, attempt 2')
  expect(read(rig, 'GET /status')).toMatchObject([
    { result: 'ok', file: 'routes/status.get.ts', data: { step: 'respond', request: { query: 'full=1' } } },
  ])
})

test('a recorded request has no credentials, no secrets and no long body', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'routes/hook.ts': `export default route({
      verify: hmac({ header: 'x-proof', secret: 'GITHUB_SECRET' }),
      respond: true,
      run: (ctx) => ({ proof: ctx.headers.get('x-proof'), length: ctx.body.text.length }),
    })`,
  }
  const bot = await startBot(rig, files, { dispatcher: 'inline', config })
  const send = async (body: { text: string; token?: string }) => {
    const headers = {
      ...{ 'x-proof': signed(body)['x-hub-signature-256'], authorization: 'Bearer abcdefgh', cookie: 'session=1' },
      ...{ 'x-gitlab-token': 'a-token-of-gitlab', 'x-event': 'push' },
    }
    return (await post(rig, '/hook?key=a-secret-of-github', body, headers)).json()
  }
  expect(await send({ text: 'a-secret-of-github', token: 'a-token-of-slack' })).toEqual({ proof: null, length: 18 })
  expect(await send({ text: 'x'.repeat(100_000) })).toEqual({ proof: null, length: 100_000 })
  await bot.stop()
  const [short, long, ...more] = read(rig, 'POST /hook')
  expect(more).toEqual([])
  expect(bodyOf(short).json).toEqual({ text: '[secret]' })
  expect(short).toMatchObject({ data: { request: { query: 'key=[secret]', headers: { 'x-event': 'push' } } } })
  expect(JSON.stringify(short)).not.toMatch(/sha256=|Bearer|session|a-secret-of|a-token-of/)
  expect(bodyOf(long)).not.toHaveProperty('text')
  expect(long).toMatchObject({ result: 'ok', data: { isLong: true } })
  expect(JSON.stringify(long).length).toBeLessThan(2000)
})

test('a refused request is recorded without the header that proves its sender', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'routes/hook.ts': `export default route({ verify: hmac({ header: 'X-Proof', secret: 'GITHUB_SECRET' }), limit: 20, run: () => {} })`,
  }
  const bot = await startBot(rig, files, { dispatcher: 'inline', config })
  for (const text of ['x', 'x'.repeat(50)])
    await post(rig, '/hook', { text }, { 'x-proof': 'sha256=of-a-former-secret', 'x-event': 'push' })
  await bot.stop()
  const recorded = read(rig, 'POST /hook')
  expect(recorded.map(({ error }) => error?.slice(0, 3))).toEqual(['401', '413'])
  for (const one of recorded) expect(one).toMatchObject({ data: { request: { headers: { 'x-event': 'push' } } } })
  expect(JSON.stringify(recorded)).not.toContain('of-a-former-secret')
})

test('refused requests are recorded with the reason, without their body, and only some of a flood', async () => {
  await using rig = await ChatRig.start()
  const clock = new HostClock(systemClock)
  const files = {
    'routes/hook.ts': `export default route({
      verify: bearer('GITHUB_SECRET'),
      body: z.object({ release: z.object({ name: z.string() }) }),
      limit: 200,
      run: () => {},
    })`,
  }
  const bot = await startBot(rig, files, { dispatcher: 'inline', clock, config })
  const key = { authorization: 'Bearer a-secret-of-github' }
  expect((await post(rig, '/hook', { text: 'not-to-keep' }, { authorization: 'Bearer guessed' })).status).toBe(401)
  expect((await post(rig, '/hook', { release: { name: 7 } }, key)).status).toBe(422)
  expect((await post(rig, '/hook', 'x', { ...key, 'content-type': 'text/plain' })).status).toBe(415)
  expect((await post(rig, '/hook', { text: 'x'.repeat(300) }, key)).status).toBe(413)
  for (let sent = 0; sent < 20; sent++) await post(rig, '/hook', {})
  clock.behindMs = 3_600_000
  clock.advance(600_000)
  await post(rig, '/hook', {})
  await bot.stop()
  const recorded = read(rig, 'POST /hook')
  expect(recorded).toHaveLength(21)
  expect(recorded.slice(0, 4).map(({ error }) => error)).toEqual([
    '401: the signature or the token of this request is missing or wrong',
    '422: the body is not valid: release.name: Invalid input: expected string, received number',
    '415: the content type must be application/json or application/x-www-form-urlencoded',
    '413: the body must not be longer than 200 bytes',
  ])
  expect(recorded[0]).toMatchObject({ result: 'refused', file: 'routes/hook.ts', data: { step: 'check' } })
  expect(JSON.stringify(recorded)).not.toMatch(/not-to-keep|guessed|a-secret-of/)
  expect(stepTexts(timelineOf(recorded[0]!))).toEqual([
    'received',
    'matched routes/hook.ts',
    'refused: 401: the signature or the token of this request is missing or wrong',
  ])
})
