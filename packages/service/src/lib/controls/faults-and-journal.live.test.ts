/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call, typescript/no-unsafe-return -- answers are read as loosely as they arrive */
import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOn } from '../start/start-service.ts'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { checkWorld } from '../world/world.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeEach(async () => void (chat = await startTest({ controls: true })))
afterEach(() => chat.close())

const control = (method: string, path: string, body?: object) =>
  chat.call(method, `/controls/v1${path}`, body ? { body } : {})
const journal = async () => (await control('GET', '/journal')).body.calls

describe('faults', () => {
  const fault = (then: unknown, more: object = {}) => control('POST', '/faults', { path: '/v1/me', then, ...more })

  it('respond with a status, a body and headers, a given number of times', async () => {
    await fault({ status: 503, body: { error: 'later' }, headers: { 'retry-after': '7' } }, { times: 2, method: 'GET' })
    expect((await chat.bot('PATCH', '/me', { bio: 'x' })).status).toBe(200)
    for (let i = 0; i < 2; i++) {
      const { status, headers, body } = await chat.bot('GET', '/me')
      expect([status, headers.get('retry-after'), body]).toEqual([503, '7', { error: 'later' }])
    }
    expect((await chat.bot('GET', '/me')).status).toBe(200)
    await fault({ status: 502, body: '<html>' })
    expect((await chat.bot('GET', '/me')).headers.get('content-type')).toBe('text/html')
    await fault({ status: 204, body: 'x' })
    expect((await chat.bot('GET', '/me')).body).toBe('')
  })

  it('close, cut and stall; the latter two apply after the call took effect', async () => {
    await fault('close')
    await expect(chat.bot('PATCH', '/me', { bio: 'closed' })).rejects.toThrow('fetch failed')
    await fault('cut')
    await expect(chat.bot('PATCH', '/me', { bio: 'cut' })).rejects.toThrow()
    expect((await chat.bot('GET', '/me')).body.bio).toBe('cut')
    await fault('stall')
    const stop = AbortSignal.timeout(200)
    const headers = { authorization: 'Bot token-of-pollster' }
    await expect(fetch(`${chat.service.base_url}/me`, { headers, signal: stop })).rejects.toThrow(/timeout/i)
  })

  it('match ids in upper and lower case [spec: decisions/52]', async () => {
    const path = chat.channel('general')
    const upper = path.toUpperCase().replace('CHANNELS', 'channels')
    for (const [wanted, called] of [
      [upper, path],
      [path, upper],
    ] as const) {
      await control('POST', '/faults', { path: `/v1${wanted}`, then: { status: 503 } })
      expect((await chat.bot('GET', called)).status).toBe(503)
    }
  })

  it("delay responses by the service's clock, and match paths with placeholders", async () => {
    await control('POST', '/faults', { path: '/v1/channels/{id}', then: 'slow', seconds: 30 })
    let answered = false
    const slow = chat.bot('GET', chat.channel('general')).then(({ status }) => {
      answered = true
      return status
    })
    expect((await chat.bot('GET', '/channels')).status).toBe(200)
    expect(answered).toBe(false)
    await chat.clock.advance(30_000)
    expect(await slow).toBe(200)
  })

  it.each([
    ['/v1/me', true],
    ['/v1/m', false],
    ['/v1/me/', false],
    ['/v1/{x}', true],
    ['/v1/m{x}', true],
    ['/v1/me{x}', false],
    ['/v1/{x}/{y}', false],
    ['/v1/*', true],
    ['/v1/*e', true],
    ['/v1/*m*', true],
    ['/v1/*x', false],
    ['/v1/.e', false],
    ['/v1/(m|x)e', false],
    ['/v1/{', false],
  ])('on %s match /v1/me: %s', async (path, fits) => {
    await control('POST', '/faults', { path, then: { status: 503 } })
    expect((await chat.bot('GET', '/me')).status).toBe(fits ? 503 : 200)
  })

  it('skip some responses first, each fault for itself', async () => {
    await fault({ status: 503 }, { skip: 2 })
    await fault({ status: 500 }, { skip: 1, times: 2 })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await chat.bot('GET', '/me')).status)
    expect(statuses).toEqual([200, 500, 503, 500, 200, 200])
  })

  // A backtracking regular expression took hours.
  it('with many stars match a long path quickly', async () => {
    await control('POST', '/faults', { path: `/v1/${'*a'.repeat(20)}`, then: { status: 503 } })
    expect((await chat.bot('GET', `/${'a'.repeat(4000)}!`)).status).toBe(404)
  })

  it.each([
    ['/v1/chanels/*', undefined, false],
    ['/v1/nothing', undefined, false],
    ['/v1/me/', undefined, false],
    ['/v1/me?x=1', undefined, false],
    ['/v1/{x}', undefined, true],
    ['/v1/{x}/{y}/{z}/{a}/{b}/{c}/{d}/{e}', undefined, false],
    ['/v1/*/messages', 'POST', true],
    ['/v1/servers', 'DELETE', false],
    ['/v1/me', 'DELETE', false],
    ['/v1/channels/11111111-1111-4111-8111-111111111111/messages', 'GET', true],
    ['/v1/channels/a/b/messages', undefined, false],
    ['/v1/*pin', 'PUT', true],
    [`/v1/${'*a'.repeat(900)}/`, undefined, false],
  ])('on %s with the method %s are accepted: %s', async (path, method, fits) => {
    const { status, body } = await control('POST', '/faults', { path, method, then: 'close' })
    expect([status, body.error]).toEqual(
      fits
        ? [200, undefined]
        : [400, expect.stringMatching(/^path: no endpoint of the bot interface matches .*; \/developers lists/)],
    )
  })

  it('are cleared', async () => {
    await fault({ status: 500 }, { times: 100 })
    expect((await chat.bot('GET', '/me')).status).toBe(500)
    expect((await control('DELETE', '/faults')).body).toEqual({ ok: true })
    expect((await chat.bot('GET', '/me')).status).toBe(200)
  })

  it.each([
    [{ path: '/me', then: 'close' }, 'path'],
    [{ then: 'close' }, 'path'],
    [{ path: '/v1/me', then: 'explode' }, 'then'],
    [{ path: '/v1/me', then: { status: 99 } }, 'then'],
    [{ path: '/v1/me', then: { status: 500, headers: { 'a b': 'x' } } }, 'then'],
    [{ path: '/v1/me', then: { status: 500, headers: { a: 'x\r\ny: z' } } }, 'then'],
    [{ path: '/v1/me', then: 'close', method: 'get' }, 'method'],
    [{ path: '/v1/me', then: 'close', times: 0 }, 'times'],
    [{ path: '/v1/me', then: 'close', skip: -1 }, 'skip'],
    [{ path: '/v1/me', then: 'slow', seconds: 1e9 }, 'seconds'],
    [{ path: '/v1/me', then: 'close', often: 2 }, 'often'],
  ])('refuse %j, naming %s', async (body, field) => {
    const { status, body: answer } = await control('POST', '/faults', body)
    expect([status, answer.error]).toEqual([400, expect.stringContaining(field)])
  })
})

describe('the journal', () => {
  it('contains every call with its response in order, marks faults, and contains no tokens', async () => {
    const { data, answer } = await chat.clicked()
    await answer({ type: 'ack' })
    await control('POST', '/faults', { path: '/v1/me', then: { status: 500 } })
    await chat.bot('GET', '/me')
    await chat.bot('POST', `${chat.channel('general')}/messages`, { content: 'token-of-pollster' })
    await chat.bot('GET', '/me', undefined, 'wrong-token-here')
    const calls = await journal()
    expect(
      calls.map((each: { method: string; status: number; bot: string }) => [each.method, each.status, each.bot]),
    ).toEqual([
      ['GET', 200, 'pollster'],
      ['POST', 200, 'pollster'],
      ['GET', 200, 'pollster'],
      ['POST', 200, 'pollster'],
      ['GET', 500, 'pollster'],
      ['POST', 200, 'pollster'],
      ['GET', 401, null],
    ])
    expect(calls[3]).toMatchObject({ path: `/v1/interactions/${data.id}/…/callback`, body: { type: 'ack' } })
    expect(calls[4]).toMatchObject({ path: '/v1/me', fault: '500' })
    const text = JSON.stringify(calls)
    for (const secret of ['token-of-pollster', data.token, 'wrong-token-here']) expect(text).not.toContain(secret)
  })
})

describe('clock, load and reset', () => {
  it('fires timers that become due, and refuses to go back', async () => {
    const { state } = await chat.clicked()
    expect((await control('POST', '/clock', { advance_seconds: 3 })).body).toMatchObject({ ok: true })
    expect((await state()).body.state).toBe('failed')
    for (const advance_seconds of [-1, 1e12, '5', null]) {
      expect((await control('POST', '/clock', { advance_seconds })).body.error).toContain('advance_seconds')
    }
  })

  it('posts the requested number of messages at the given rate, as members', async () => {
    const channel_id = chat.workshop.channels['general']!
    const load = { channel_id, count: 50, per_second: 100, content: 'busy' }
    expect((await control('POST', '/load', load)).body).toEqual({ ok: true })
    const written = async () => (await chat.bot('GET', `${chat.channel('general')}/messages?limit=100`)).body
    await chat.clock.advance(200)
    const early = (await written()).messages.length
    expect(early).toBeGreaterThan(10)
    expect(early).toBeLessThan(50)
    await chat.clock.advance(1000)
    const { messages, authors } = await written()
    expect([messages.length, authors.length, messages[49].content]).toEqual([50, 20, 'busy 50'])
    for (const [body, error] of [
      [{ ...load, channel_id: chat.botId }, 'channel not found'],
      [{ ...load, channel_id: chat.workshop.channels['Lounge']! }, 'voice'],
      [{ ...load, count: 0 }, 'count'],
      [{ ...load, per_second: 0 }, 'per_second'],
    ] as const) {
      expect((await control('POST', '/load', body)).body.error).toContain(error)
    }
  })

  it('restores the initial world and ends loads and faults', async () => {
    const db = openDatabase(':memory:')
    const clock = new VirtualClock()
    await using own = await startOn(db, { port: 0, controls: true, clock }, checkWorld(testWorld()))
    const tables = db.prepare<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const rows = () =>
      tables.map(({ name }) => [name, db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${name}`).get()!.n])
    const before = rows()
    const send = (path: string, body: object, authorization: string) =>
      fetch(own.url + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const person = `Person ${own.world.people['ann']!.token}`
    const { id, channels } = own.world.servers['Workshop']!
    for (const [path, body] of [
      [`/people/v1/channels/${channels['general']}/messages`, { content: 'x' }],
      ['/people/v1/bots', { username: 'fresh' }],
      [`/people/v1/bots/${own.world.bots['pollster']!.id}/submission`, { description: 'x' }],
      ['/people/v1/servers', { name: 'Other' }],
      [`/people/v1/servers/${id}/roles`, { name: 'r', permissions: [], color: null }],
      [`/people/v1/channels/${channels['general']}/webhooks`, { name: 'hook' }],
      ['/people/v1/bots', { username: 'slur-for-tests' }],
      ['/controls/v1/load', { channel_id: channels['general']!, count: 100, per_second: 10 }],
      ['/controls/v1/faults', { path: '/v1/me', then: { status: 500 } }],
    ] as const) {
      await (await send(path, body, person)).text()
    }
    expect(rows()).not.toEqual(before)
    expect(await (await send('/controls/v1/reset', {}, person)).json()).toEqual({ ok: true })
    expect(rows()).toEqual(before)
    await clock.advance(10_000)
    expect(rows()).toEqual(before)
    const me = await fetch(`${own.base_url}/me`, { headers: { authorization: 'Bot token-of-pollster' } })
    expect(me.status).toBe(200)
  })

  it('exist only if enabled, and refuse other methods with 405', async () => {
    const wrong = await control('GET', '/faults')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'DELETE, POST'])
    expect((await control('POST', '/nothing')).status).toBe(404)
    await using plain = await startTest()
    expect((await plain.call('POST', '/controls/v1/reset')).status).toBe(404)
  })
})
