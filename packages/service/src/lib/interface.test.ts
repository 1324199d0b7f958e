/* eslint @typescript-eslint/no-unsafe-member-access: off, @typescript-eslint/no-unsafe-assignment: off, @typescript-eslint/no-unsafe-call: off, @typescript-eslint/no-unsafe-return: off, @typescript-eslint/no-unsafe-argument: off -- answers are read as loosely as they arrive */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpoints } from '@botwright/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService } from './start-service.ts'
import { startTest, testWorld } from './testing-driver.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => void (chat = await startTest({ controls: true })))
afterAll(() => chat.close())

const unknown = '00000000-0000-0000-0000-000000000001'

describe('refusals', () => {
  it('401 for a missing, malformed and wrong token [spec: 7/401]', async () => {
    for (const auth of [undefined, 'token-of-pollster', 'Person token-of-pollster', 'Bot wrong']) {
      expect((await chat.call('GET', '/v1/me', auth === undefined ? {} : { auth })).status).toBe(401)
    }
  })

  it('403 for a server that the bot is not in, 404 for what it does not see [spec: 7/403, 7/404]', async () => {
    const stranger = await chat.bot('GET', chat.server, undefined, 'token-of-stranger')
    expect(stranger).toMatchObject({ status: 403, body: { error: expect.stringContaining('not in that server') } })
    expect((await chat.bot('GET', chat.channel('general'), undefined, 'token-of-stranger')).status).toBe(403)
    expect((await chat.bot('GET', chat.channel('staff'))).status).toBe(404)
    expect((await chat.bot('GET', `/servers/${unknown}`)).status).toBe(404)
    expect((await chat.bot('GET', '/servers/5')).body.error).toContain('server_id')
  })

  it('404 and 405 with Allow, 400 for no JSON, 413 for too much [spec: 7/400]', async () => {
    expect(await chat.call('GET', '/v1/nothing')).toMatchObject({ status: 404, body: { error: expect.any(String) } })
    const wrong = await chat.bot('DELETE', '/commands')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, PUT'])
    const send = (raw: string) => chat.call('PUT', '/v1/commands', { auth: 'Bot token-of-pollster', raw })
    expect((await send('{')).body.error).toContain('JSON')
    expect((await send(`"${'x'.repeat(1024 * 1024)}"`)).status).toBe(413)
  })

  it('every endpoint of the table answers something of its own without a token [spec: 7/401]', async () => {
    for (const entries of Object.values(endpoints)) {
      for (const entry of Object.values(entries)) {
        const { status } = await chat.call(entry.method, `/v1${entry.path.replace(/\{\w+\}/g, unknown)}`)
        expect(`${entry.method} ${entry.path} ${status}`).toBe(
          `${entry.method} ${entry.path} ${entry.path.startsWith('/interactions') ? 400 : 401}`,
        )
      }
    }
  })

  it('opens CORS by named headers', async () => {
    const answer = await chat.call('OPTIONS', '/v1/me', {
      headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-headers')).toContain('authorization')
  })
})

describe('reading', () => {
  it('shows the bot itself, its server, roles, members and channels [spec: 4/me.get, 4/servers.list, 4/servers.get, 4/servers.roles, 4/members.list, 4/members.get, 4/channels.listOfServer, 4/channels.list, 4/channels.get, 8/members_page]', async () => {
    expect((await chat.bot('GET', '/me')).body.bot).toEqual({
      name: 'pollster',
      public: false,
      owner_id: chat.userId('ann'),
    })
    expect((await chat.bot('GET', '/servers')).body.servers).toMatchObject([{ name: 'Workshop', member_count: 3 }])
    expect((await chat.bot('GET', `${chat.server}/roles`)).body.roles).toMatchObject([{ name: 'mods', position: 1 }])
    const first = (await chat.bot('GET', `${chat.server}/members?limit=2`)).body.members
    const rest = (await chat.bot('GET', `${chat.server}/members?after=${first[1].user_id}`)).body.members
    const ids = [...first, ...rest].map((each: { user_id: string }) => each.user_id)
    expect(ids).toEqual([...ids].sort())
    expect(ids).toHaveLength(4)
    expect((await chat.bot('GET', `${chat.server}/members?limit=501`)).status).toBe(400)
    expect((await chat.bot('GET', `${chat.server}/members/${ids[0]}`)).body.member.timeout_until).toBeNull()
    const { channels } = (await chat.bot('GET', `${chat.server}/channels?type=text`)).body
    expect(channels.map((each: { name: string }) => each.name)).toEqual(['general', 'random', 'news'])
    expect((await chat.bot('GET', '/channels')).body.channels).toHaveLength(4)
    expect((await chat.bot('GET', chat.channel('news'))).body.channel).toMatchObject({ read_only: true })
  })

  it('changes the profile and status [spec: 4/me.update, 4/me.setStatus, 8/display_name, 8/activity]', async () => {
    expect((await chat.bot('PATCH', '/me', { display_name: 'x'.repeat(33) })).status).toBe(400)
    expect((await chat.bot('PATCH', '/me', { display_name: 'Poll' })).body.display_name).toBe('Poll')
    expect((await chat.bot('PUT', '/me/status', { status: 'asleep' })).status).toBe(400)
    expect((await chat.bot('PUT', '/me/status', { status: 'idle', activity: 'counting' })).body).toEqual({
      ok: true,
      status: 'idle',
      activity: 'counting',
    })
    const bots = async () => (await chat.person('ann', 'GET', chat.server)).body.bots
    expect((await bots())[0].presence).toEqual({ status: 'idle', activity: 'counting' })
    await chat.clock.advance(10_000)
    expect((await bots())[0].presence.status).toBe('offline')
  })

  it('keeps up to 100 commands and finds them in messages [spec: 4/commands.replace, 4/commands.list, 8/commands, 8/command_name]', async () => {
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `c${i}`, description: '' }))
    expect((await chat.bot('PUT', '/commands', { commands: many })).status).toBe(400)
    expect((await chat.bot('PUT', '/commands', { commands: [{ name: 'Ping', description: '' }] })).status).toBe(400)
    await chat.bot('PUT', '/commands', { commands: [{ name: 'ping', description: 'pong' }] })
    expect((await chat.bot('GET', '/commands')).body.commands).toEqual([{ name: 'ping', description: 'pong' }])
    await chat.events()
    for (const content of ['/ping  a b ', '!ping', '/pingx', 'ping', `<@${chat.botId}>`]) {
      await chat.person('ann', 'POST', `${chat.channel('general')}/messages`, { content })
    }
    await chat.person('ann', 'POST', `${chat.channel('staff')}/messages`, { content: 'secret' })
    const found = (await chat.events()).map(({ data }) => [data.command, data.args, data.mentioned])
    expect(found).toEqual([
      ['ping', 'a b', false],
      ['ping', '', false],
      [undefined, undefined, false],
      [undefined, undefined, false],
      [undefined, undefined, true],
    ])
  })
})

describe('events', () => {
  it('holds to the rules of after and wait [spec: 4/events.list, 8/event_poll_wait, 8/event_retention]', async () => {
    const poll = async (query: string) => (await chat.bot('GET', `/events?${query}`)).body
    const { last } = await poll('after=0&wait=25')
    expect(last).toBeGreaterThan(0)
    expect(await poll(`after=${last + 1000}&wait=25`)).toEqual({ events: [], last })
    expect((await poll('after=1&wait=26')).error).toContain('wait')
    await chat.person('ann', 'POST', `${chat.channel('general')}/messages`, { content: 'kept' })
    const page = await poll(`after=${last}`)
    expect(page.events).toHaveLength(1)
    expect(page.last).toBe(page.events[0].id)
    await chat.clock.advance(24 * 60 * 60_000)
    expect((await poll(`after=${last}`)).events).toEqual([])
  })

  it('tells of joins and leaves [spec: 6/member_join, 6/member_leave]', async () => {
    await chat.events()
    const { token } = (await chat.call('POST', '/people/v1/sessions', { body: { username: 'dan' } })).body
    const dan = (method: string) =>
      chat.call(method, `/people/v1${chat.server}/members/me`, { auth: `Person ${token}` })
    await dan('PUT')
    await dan('DELETE')
    const events = await chat.events()
    expect(events.map(({ type, data }) => [type, data.username, data.member_count, data.channel_id])).toEqual([
      ['member_join', 'dan', 4, null],
      ['member_leave', 'dan', 3, null],
    ])
  })
})

describe('controls', () => {
  it('makes the next answers go wrong, and journals calls', async () => {
    const fault = (body: object) => chat.call('POST', '/controls/v1/faults', { body: { path: '/v1/me', ...body } })
    await fault({ then: { status: 503, body: '<html>' } })
    expect(await chat.bot('GET', '/me')).toMatchObject({ status: 503, body: '<html>' })
    for (const then of ['close', 'cut']) {
      await fault({ then })
      await expect(chat.bot('GET', '/me')).rejects.toThrow()
    }
    expect((await chat.bot('GET', '/me')).status).toBe(200)
    const { calls } = (await chat.call('GET', '/controls/v1/journal')).body
    expect(calls.at(-1)).toMatchObject({ bot: 'pollster', method: 'GET', path: '/v1/me', status: 200 })
  })

  it('moves the clock and starts anew with the same ids', async () => {
    const before = (await chat.bot('GET', '/me')).body.id
    expect((await chat.call('POST', '/controls/v1/clock', { body: { advance_seconds: 60 } })).status).toBe(200)
    expect((await chat.call('POST', '/controls/v1/reset')).body).toEqual({ ok: true })
    expect((await chat.bot('GET', '/me')).body.id).toBe(before)
    expect((await chat.bot('GET', `${chat.channel('general')}/messages`)).body.messages).toEqual([])
  })
})

describe('worlds', () => {
  it('name the field that is wrong', async () => {
    const world = testWorld()
    world.servers![0]!.owner = 'nobody'
    await expect(startService({ port: 0, world })).rejects.toMatchObject({
      code: 'ERR_WORLD',
      message: expect.stringContaining('servers[0].owner') as string,
    })
  })

  it('go on from a file, tokens included', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botwright-service-'))
    const data = join(folder, 'chat.db')
    try {
      const first = await startTest({ data })
      const { id } = (await first.bot('POST', `${first.channel('general')}/messages`, { content: 'kept' })).body
      await first.close()
      await using second = await startService({ port: 0, data, world: {} })
      expect(second.resumed).toBe(true)
      const general = second.world.servers['Workshop']!.channels['general']!
      const answer = await fetch(`${second.base_url}/channels/${general}/messages/${id}`, {
        headers: { authorization: 'Bot token-of-pollster' },
      })
      expect(await answer.json()).toMatchObject({ content: 'kept' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
