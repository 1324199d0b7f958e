/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-argument, typescript/no-unsafe-return, typescript/no-unsafe-call -- answers are read as loosely as they arrive */
import type { Endpoint } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { peopleEndpoints } from '../people-api/endpoints/index.ts'

const unknown = '00000000-0000-0000-0000-000000000001'

const MINUTE = 60_000

let chat: Awaited<ReturnType<typeof startTest>>
beforeEach(async () => {
  const world = testWorld()
  world.people!.push({ username: 'stan', staff: true }, { username: 'rich', tier: 'paid' })
  chat = await startTest({ world })
})
afterEach(() => chat.close())

const make = async (owner: string, username: string) => (await chat.person(owner, 'POST', '/bots', { username })).body
const refused = async (answer: ReturnType<typeof chat.person>, status: number, words: RegExp) => {
  const { status: got, body } = await answer
  expect([got, body.error]).toEqual([status, expect.stringMatching(words)])
}

describe('the Developer screen', () => {
  it.each([
    ['bob', 2],
    ['rich', 10],
  ])('%s can create %i bots [spec: 8/bots_per_person]', async (owner, most) => {
    for (let i = 1; i <= most; i++) {
      expect((await chat.person(owner, 'POST', '/bots', { username: `${owner}-${i}` })).status).toBe(200)
    }
    await refused(
      chat.person(owner, 'POST', '/bots', { username: `${owner}-more` }),
      403,
      new RegExp(`at most ${most}`),
    )
    const { bots } = (await chat.person(owner, 'GET', '/bots')).body
    expect(bots).toHaveLength(most)
    await chat.person(owner, 'DELETE', `/bots/${bots[0].id}`)
    expect((await chat.person(owner, 'POST', '/bots', { username: `${owner}-more` })).status).toBe(200)
  })

  it('shows a token once, and hides a bot from everyone except its owner', async () => {
    const { bot, token } = await make('bob', 'helper')
    expect((await chat.bot('GET', '/me', undefined, token)).body).toMatchObject({ id: bot.id, username: 'helper' })
    expect(JSON.stringify((await chat.person('bob', 'GET', '/bots')).body)).not.toContain(token)
    await refused(chat.person('carol', 'PATCH', `/bots/${bot.id}`, { bio: 'x' }), 404, /bot not found/)
    await refused(chat.person('carol', 'POST', `/bots/${bot.id}/token`), 404, /bot not found/)
    await refused(chat.person('bob', 'POST', '/bots', { username: 'HELPER' }), 400, /username: is already taken/)
    const changed = await chat.person('bob', 'PATCH', `/bots/${bot.id}`, { display_name: 'Helper', bio: 'Helps.' })
    expect(changed.body.bot).toMatchObject({ display_name: 'Helper', bio: 'Helps.', review: { state: 'private' } })
  })

  const people = Object.entries(peopleEndpoints).flatMap(([group, entries]) =>
    Object.entries<Endpoint>(entries).map(([name, entry]): [string, Endpoint] => [`${group}.${name}`, entry]),
  )
  const filled = ({ path }: Endpoint) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'bot_id' ? chat.botId : unknown))

  it.each(people.filter(([, { access }]) => access === 'own_bot'))(
    '%s: 404 for a bot of another person, before any other error',
    async (_, entry) => {
      const body = entry.method === 'GET' ? undefined : 'invalid'
      await refused(chat.person('bob', entry.method, filled(entry), body), 404, /^bot not found$/)
    },
  )

  it.each(people.filter(([, { access }]) => access === 'staff'))(
    '%s: 403 for people who are not staff, before any other error',
    async (_, entry) => {
      const body = entry.method === 'GET' ? undefined : 'invalid'
      await refused(chat.person('bob', entry.method, filled(entry), body), 403, /staff/)
    },
  )

  it('every call for a bot has a column for its access', () => {
    const open = people.filter(
      ([, { path, access, permission }]) => path.includes('{bot_id}') && !access && !permission,
    )
    expect(open).toEqual([])
    const staff = people.filter(([, { summary }]) => summary.startsWith('Staff:'))
    expect(staff.map(([, { access }]) => access)).toEqual(Array(4).fill('staff'))
  })

  it.each([
    ['a new token', 'POST', '/token'],
    ['deleting the bot', 'DELETE', ''],
  ])('%s invalidates the old one immediately, also for a waiting poll [spec: 7/401]', async (_, method, path) => {
    const { last } = (await chat.bot('GET', '/events?after=0')).body
    const poll = chat.bot('GET', `/events?after=${last}&wait=25`)
    expect(await presence()).toBe('online')
    expect((await chat.person('ann', method, `/bots/${chat.botId}${path}`)).status).toBe(200)
    await refused(poll, 401, /wrong token/)
    await refused(chat.bot('GET', '/me'), 401, /wrong token/)
  })

  it('sets and removes the pictures of a bot', async () => {
    const auth = `Person ${chat.service.world.people['ann']!.token}`
    // A PNG with one pixel.
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    for (const place of ['avatar', 'banner']) {
      const path = `/people/v1/bots/${chat.botId}/${place}`
      const put = async (authorization: string) => {
        const headers = { authorization, 'content-type': 'image/png' }
        return fetch(chat.service.url + path, { method: 'PUT', headers, body: Buffer.from(png, 'base64') })
      }
      const answer = await put(auth)
      const url = ((await answer.json()) as Record<string, string>)[`${place}_url`]!
      expect([answer.status, url]).toEqual([200, expect.stringMatching(/\/uploads\/[\w-]+\.png$/)])
      expect((await fetch(url)).headers.get('content-type')).toBe('image/png')
      expect((await chat.person('ann', 'GET', '/bots')).body.bots[0][`${place}_url`]).toBe(url)
      expect((await put(`Person ${chat.service.world.people['bob']!.token}`)).status).toBe(404)
      expect((await chat.call('DELETE', path, { auth })).body).toEqual({ ok: true })
      expect((await chat.bot('GET', '/me')).body[`${place}_url`]).toBe(null)
    }
  })

  it('sends a test event, and shows the event webhook with its secret to the owner only [spec: 6/test]', async () => {
    expect((await chat.person('ann', 'POST', `/bots/${chat.botId}/test-event`)).body).toEqual({ ok: true })
    expect(await chat.events()).toMatchObject([{ type: 'test', data: { channel_id: null, server_id: null } }])
    const path = `/bots/${chat.botId}/event-webhook`
    await refused(chat.person('ann', 'PUT', path, { url: 'http://example.com/' }), 400, /^url: .*https/)
    await refused(chat.person('ann', 'POST', `${path}/secret`), 400, /set its URL first/)
    const url = 'https://example.com/hook'
    const { secret } = (await chat.person('ann', 'PUT', path, { url })).body
    expect((await chat.person('ann', 'GET', path)).body).toEqual({ url, secret })
    const next = (await chat.person('ann', 'POST', `${path}/secret`)).body
    expect(next.secret).not.toBe(secret)
    expect((await chat.person('ann', 'PUT', path, { url: null })).body).toEqual({ secret: null })
    await refused(chat.person('bob', 'GET', path), 404, /bot not found/)
  })

  const presence = async () => {
    const { bots } = (await chat.person('ann', 'GET', chat.server)).body
    return bots.find((each: { id: string }) => each.id === chat.botId).presence.status
  }
})

describe('publication review (§3)', () => {
  const submit = (description = 'It holds polls.') =>
    chat.person('ann', 'POST', `/bots/${chat.botId}/submission`, { description })
  const decide = (id: string, body: object, name = 'stan') =>
    chat.person(name, 'POST', `/submissions/${id}/decision`, body)
  const review = async () => (await chat.person('ann', 'GET', '/bots')).body.bots[0].review
  const add = (name: string, serverId: string) => chat.person(name, 'PUT', `/servers/${serverId}/bots/${chat.botId}`)

  it('goes from private to submitted, sent back with a reason, submitted again and approved', async () => {
    const server = (await chat.person('carol', 'POST', '/servers', { name: 'Elsewhere' })).body.server
    expect(await review()).toEqual({ state: 'private', reason: null })
    await refused(add('carol', server.id), 403, /not approved/)
    const first = (await submit()).body.submission
    expect(first).toMatchObject({ state: 'submitted', description: 'It holds polls.', bot: { username: 'pollster' } })
    await refused(submit(), 400, /already submitted/)
    await refused(add('carol', server.id), 403, /not approved/)
    await refused(decide(first.id, { approve: false }), 400, /^reason/)
    await refused(decide(first.id, { approve: false, reason: ' ' }), 400, /^reason/)
    expect((await decide(first.id, { approve: false, reason: 'Say what it stores.' })).status).toBe(200)
    expect(await review()).toEqual({ state: 'sent_back', reason: 'Say what it stores.' })
    await refused(decide(first.id, { approve: true }), 400, /already sent back/)
    const second = (await submit('It holds polls.\nIt stores nothing.')).body.submission
    expect(await review()).toEqual({ state: 'submitted', reason: null })
    expect((await decide(second.id, { approve: true })).body.submission).toMatchObject({ state: 'approved' })
    await refused(submit(), 400, /already approved/)
    expect((await chat.person('carol', 'GET', '/bots/listed')).body.bots).toMatchObject([
      { id: chat.botId, description: 'It holds polls.\nIt stores nothing.', owner: { username: 'ann' } },
    ])
    expect((await chat.bot('GET', '/me')).body.bot.public).toBe(true)
    await refused(add('bob', server.id), 403, /not in that server/)
    expect((await add('carol', server.id)).status).toBe(200)
    const all = (await chat.person('stan', 'GET', '/submissions')).body.submissions
    expect(all.map((each: { state: string }) => each.state)).toEqual(['sent_back', 'approved'])
    expect((await chat.person('stan', 'GET', '/submissions?state=submitted')).body.submissions).toEqual([])
  })

  it('can be withdrawn by the owner; servers that have the bot keep it', async () => {
    const withdraw = () => chat.person('ann', 'DELETE', `/bots/${chat.botId}/submission`)
    await refused(withdraw(), 400, /nothing to withdraw/)
    const { id } = (await submit()).body.submission
    expect((await withdraw()).body).toEqual({ ok: true })
    expect(await review()).toEqual({ state: 'private', reason: null })
    await refused(decide(id, { approve: true }), 400, /already withdrawn/)
    expect((await chat.bot('GET', chat.server)).status).toBe(200)
  })

  it('allows only staff to list and decide, and only the owner to submit', async () => {
    const { id } = (await submit()).body.submission
    await refused(chat.person('ann', 'GET', '/submissions'), 403, /staff/)
    await refused(decide(id, { approve: true }, 'ann'), 403, /staff/)
    await refused(decide(chat.botId, { approve: true }), 404, /submission not found/)
    await refused(chat.person('bob', 'POST', `/bots/${chat.botId}/submission`, { description: 'x' }), 404, /bot/)
    await refused(submit(' '), 400, /^description/)
    await refused(submit('x'.repeat(2001)), 400, /^description/)
    await refused(chat.person('stan', 'GET', '/submissions?state=lost'), 400, /^state/)
  })

  it('a server can have 25 bots, added only by owner or manager [spec: 8/bots_per_server]', async () => {
    const bots = Array.from({ length: 26 }, (_, i) => ({ username: `bot-${i}`, owner: 'ann', approved: true }))
    await using many = await startTest({ world: { ...testWorld(), bots: [...testWorld().bots!, ...bots] } })
    const put = (name: string, bot: string) =>
      many.person(name, 'PUT', `${many.server}/bots/${many.service.world.bots[bot]!.id}`)
    await refused(put('bob', 'bot-0'), 403, /manage_server/)
    for (let i = 0; i < 24; i++) expect((await put('ann', `bot-${i}`)).status).toBe(200)
    await refused(put('ann', 'bot-24'), 403, /at most 25 bots/)
    expect((await many.person('ann', 'DELETE', `${many.server}/bots/${many.botId}`)).status).toBe(200)
    expect((await put('ann', 'bot-24')).status).toBe(200)
  })
})

describe('content rules (decisions row 31)', () => {
  const path = () => `${chat.channel('general')}/messages`
  const say = (content: string) => chat.person('bob', 'POST', path(), { content })

  it.each([
    'a slur-for-tests',
    'SLUR-FOR-TESTS!',
    'a slur\u200b-for-\u00adtests',
    'ｓｌｕｒ-for-tests',
    'https://adult.example',
    '[x](https://www.adult.example/a)',
    'HTTPS://ADULT.EXAMPLE:443/',
    'https://a@b@adult.example/x',
    'https://adult%2Eexample./x',
    'see https://adult.example, please',
  ])('refuse %j', async (content) => {
    await refused(say(content), 400, /^content: contains a blocked (word|link)/)
  })

  it.each([
    'slur-for-testsuites',
    'xslur-for-tests',
    'https://adult.example.org/',
    'https://notadult.example/',
    'adult',
  ])('let %j pass', async (content) => {
    expect((await say(content)).status).toBe(200)
  })

  it('ban a person at the third violation within an hour: calls, pages and sign-in return 403', async () => {
    const { id } = (await say('fine')).body
    const page = await fetch(`${chat.service.url}/people/v1/stream`, {
      headers: { authorization: `Person ${chat.service.world.people['bob']!.token}` },
    })
    await say('slur-for-tests')
    await chat.clock.advance(60 * MINUTE)
    await say('slur-for-tests')
    await refused(chat.person('bob', 'PATCH', `${path()}/${id}`, { content: 'slur-for-tests' }), 400, /^content/)
    expect((await say('two within the hour')).status).toBe(200)
    await refused(chat.person('bob', 'PATCH', '/me', { bio: 'slur-for-tests' }), 400, /^bio/)
    await refused(say('x'), 403, /banned/)
    await refused(chat.call('POST', '/people/v1/sessions', { body: { username: 'bob' } }), 403, /banned/)
    expect(await page.text()).toContain('listening')
  })

  it('ban a bot together with its owner, end a waiting poll, and roll back the call [spec: 7/401]', async () => {
    const { last } = (await chat.bot('GET', '/events?after=0')).body
    const poll = chat.bot('GET', `/events?after=${last}&wait=25`)
    await refused(chat.bot('PATCH', '/me', { display_name: 'slur-for-tests' }), 400, /^display_name/)
    await refused(chat.bot('PUT', '/me/status', { status: 'online', activity: 'slur-for-tests' }), 400, /^activity/)
    const commands = [{ name: 'x', description: 'slur-for-tests' }]
    await refused(chat.bot('PUT', '/commands', { commands }), 400, /^commands/)
    await refused(poll, 401, /banned/)
    await refused(chat.bot('GET', '/me'), 401, /banned/)
    await refused(chat.person('ann', 'GET', '/me'), 403, /banned/)
    expect((await chat.person('bob', 'GET', chat.server)).body.bots).toMatchObject([
      { display_name: null, commands: [] },
    ])
  })

  it('apply to names of new people', async () => {
    await refused(chat.call('POST', '/people/v1/sessions', { body: { username: 'slur-for-tests' } }), 400, /^username/)
    await refused(chat.person('bob', 'POST', '/bots', { username: 'slur-for-tests' }), 400, /^username/)
    expect((await chat.person('bob', 'GET', '/bots')).body.bots).toEqual([])
  })

  it('can be replaced by a world', async () => {
    await using own = await startTest({
      world: { ...testWorld(), content_rules: { words: ['plum'], hosts: ['Bad.Example'] } },
    })
    const post = (content: string) => own.bot('POST', `${own.channel('general')}/messages`, { content })
    await refused(post('a Plum.'), 400, /blocked word/)
    await refused(post('http://bad.example'), 400, /blocked link/)
    expect((await post('slur-for-tests')).status).toBe(200)
  })
})

describe('reports', () => {
  const post = async (content: string) =>
    (await chat.bot('POST', `${chat.channel('general')}/messages`, { content })).body.id as string
  const report = (name: string, message_id: string, reason = 'It is spam.') =>
    chat.person(name, 'POST', '/reports', { message_id, reason })
  const decide = (id: string, uphold: boolean, name = 'stan') =>
    chat.person(name, 'POST', `/reports/${id}/decision`, { uphold })

  it('show staff the reported content; upheld ones delete the message and count a violation for the author', async () => {
    for (const [round, content] of ['one', 'two', 'three'].entries()) {
      const messageId = await post(content)
      const { id } = (await report('bob', messageId)).body.report
      expect((await report('carol', messageId)).status).toBe(200)
      const { reports } = (await chat.person('stan', 'GET', '/reports?state=open')).body
      expect(reports).toMatchObject([
        { content, author: { username: 'pollster' } },
        { reporter: { username: 'carol' } },
      ])
      expect((await decide(id, true)).body.report).toMatchObject({ state: 'upheld' })
      expect((await chat.person('ann', 'GET', `${chat.channel('general')}/messages/${messageId}`)).status).toBe(
        round < 2 ? 404 : 403,
      )
    }
    await refused(chat.bot('GET', '/me'), 401, /banned/)
    expect((await chat.person('stan', 'GET', '/reports?state=open')).body.reports).toEqual([])
  })

  it('have no effect if dismissed, can be changed while open, and are decided once', async () => {
    const messageId = await post('harmless')
    const { id } = (await report('bob', messageId)).body.report
    expect((await report('bob', messageId, 'It is rude.')).body.report).toMatchObject({ id, reason: 'It is rude.' })
    expect((await decide(id, false)).body.report.state).toBe('dismissed')
    await refused(decide(id, true), 400, /already dismissed/)
    await refused(report('bob', messageId), 400, /already dismissed/)
    expect((await chat.bot('GET', `${chat.channel('general')}/messages/${messageId}`)).status).toBe(200)
  })

  it('require a visible message, and are decided by staff', async () => {
    const hidden = (await chat.person('ann', 'POST', `${chat.channel('staff')}/messages`, { content: 'x' })).body.id
    await refused(report('bob', hidden), 404, /message not found/)
    await refused(report('bob', chat.botId), 404, /message not found/)
    const messageId = await post('x')
    await refused(report('bob', messageId, ' '), 400, /^reason/)
    const { id } = (await report('bob', messageId)).body.report
    await refused(decide(id, true, 'bob'), 403, /staff/)
    await refused(chat.person('bob', 'GET', '/reports'), 403, /staff/)
  })
})
