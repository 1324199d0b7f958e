import { describe, expect, test } from 'vitest'
import { answer, drive, hangUp, id, type Seen } from './bad-service.test.fixture.ts'
import { rig, TOKEN } from './rig.test.fixture.ts'
import { createCall } from './calls/http-call.ts'

const channel_id = id(9)
const message_id = id(1)
const at = { channel_id, message_id }
const bodyOf = (seen: Seen | undefined) => JSON.parse(seen!.body.toString()) as unknown
const refusedUnsent = (field: string) => ({
  code: 'ERR_INVALID_REQUEST',
  message: expect.stringContaining(field) as string,
})

describe('requests', () => {
  test('sends path names, query and body from one flat object, with the token [spec: 4/messages.create, 4/messages.list]', async () => {
    await using it = await rig([answer(200, { id: message_id }), answer(200, { messages: [], authors: [] })])
    await it.client.messages.create({ channel_id, content: 'hëllo', reply_to: id(2) })
    await it.client.messages.list({ channel_id, limit: 7, after: '2026-01-01T00:00:00.000Z' })
    const [post, get] = it.seen
    expect(post).toMatchObject({ method: 'POST', path: `/v1/channels/${channel_id}/messages` })
    expect(post!.headers).toMatchObject({ authorization: `Bot ${TOKEN}`, 'content-type': 'application/json' })
    expect(bodyOf(post)).toEqual({ content: 'hëllo', reply_to: id(2) })
    expect(get).toMatchObject({
      method: 'GET',
      path: `/v1/channels/${channel_id}/messages?limit=7&after=2026-01-01T00%3A00%3A00.000Z`,
    })
    expect(get!.body).toHaveLength(0)
  })

  test('escapes an emoji in the path [spec: 4/reactions.add]', async () => {
    await using it = await rig([answer(200, { ok: true })])
    await it.client.reactions.add({ ...at, emoji: '👍' })
    expect(it.seen[0]).toMatchObject({ method: 'PUT' })
    expect(it.seen[0]!.path).toContain('/reactions/%F0%9F%91%8D')
  })

  test('sends embeds unchanged: the service truncates, not the client [spec: decisions/25]', async () => {
    await using it = await rig([answer(200, { id: message_id })])
    const title = 'x'.repeat(300)
    await it.client.messages.create({ channel_id, embeds: [{ title }] })
    expect(bodyOf(it.seen[0])).toEqual({ embeds: [{ title }] })
  })

  test.each([[''], ['two words'], ['line\nbreak'], ['ünïcode']])(
    'a token %j is refused when the client is made',
    (token) => {
      expect(() => createCall({ baseUrl: 'http://127.0.0.1:1/v1', token })).toThrow(/BOT_TOKEN/)
    },
  )

  test('rejects an invalid base URL without showing it', () => {
    expect(() => createCall({ baseUrl: 'secret-place', token: 't' })).toThrow(/^the base URL is not an http/)
    expect(() => createCall({ baseUrl: 'ftp://secret', token: 't' })).toThrow(/not an http or https URL/)
  })
})

describe('rejected before sending', () => {
  test('bad ids, long texts, empty messages, unknown endpoints [spec: 8/message_content, decisions/39]', async () => {
    await using it = await rig([answer(200)])
    const { call } = it
    await expect(call('messages.get', { channel_id: '../me', message_id })).rejects.toMatchObject(
      refusedUnsent('channel_id'),
    )
    await expect(call('messages.create', { channel_id, content: 'x'.repeat(2001) })).rejects.toMatchObject(
      refusedUnsent('content: must be at most 2000 characters'),
    )
    await expect(call('messages.create', { channel_id, content: ' ' })).rejects.toMatchObject(refusedUnsent('content'))
    await expect(call('messages.list', { channel_id, limit: 101 })).rejects.toMatchObject(refusedUnsent('limit'))
    await expect(call('messages.burn' as 'me.get', {})).rejects.toMatchObject(refusedUnsent('messages.burn'))
    expect(it.seen).toHaveLength(0)
    expect(it.call.stats().used).toBe(0)
  })

  test('an edit that certainly leaves neither content nor embeds [spec: 4/messages.update, decisions/42]', async () => {
    await using it = await rig([answer(200, { id: message_id, ok: true })])
    const { call } = it
    const click = { interaction_id: id(5), token: 'click', type: 'update' } as const
    for (const embeds of [null, []]) {
      await expect(call('messages.update', { ...at, content: ' ', embeds })).rejects.toMatchObject(
        refusedUnsent('neither'),
      )
      await expect(call('interactions.callback', { ...click, content: null, embeds })).rejects.toMatchObject(
        refusedUnsent('neither'),
      )
    }
    expect(it.seen).toHaveLength(0)
    await call('messages.update', { ...at, content: '' })
    await call('messages.update', { ...at, embeds: null })
    await call('messages.update', { ...at, content: 'a', embeds: null })
    await call('interactions.callback', { ...click, components: null })
    await call('interactions.callback', { interaction_id: id(5), token: 'click', type: 'ack' })
    expect(it.seen).toHaveLength(5)
  })

  test('commands: rejects more than 100, warns about more than 50, explains a 400 [spec: 4/commands.replace, 8/commands, decisions/3]', async () => {
    await using it = await rig([
      answer(200, { commands: [] }),
      answer(200, { commands: [] }),
      answer(400, { error: 'too many' }),
    ])
    const many = (count: number) => ({
      commands: Array.from({ length: count }, (_, i) => ({ name: `command${i}`, description: 'does it' })),
    })
    await expect(it.client.commands.replace(many(101))).rejects.toMatchObject(refusedUnsent('at most 100 commands'))
    expect(it.seen).toHaveLength(0)
    await it.client.commands.replace(many(50))
    expect(it.reports).toEqual([])
    await it.client.commands.replace(many(51))
    expect(it.reports).toMatchObject([{ level: 'warn', code: 'many-commands', count: 51 }])
    await expect(it.client.commands.replace(many(60))).rejects.toMatchObject({
      code: 'ERR_REFUSED',
      status: 400,
      message: expect.stringMatching(/too many \(60 commands were sent.*at most 50\)/) as string,
    })
  })
})

describe('responses', () => {
  const channel = { id: channel_id, name: 'general' }
  test.each([
    ['bare', channel],
    ['wrapped', { channel }],
  ])('reads a channel that is %s [spec: 4/channels.get, decisions/7]', async (_, body) => {
    await using it = await rig([answer(200, body)])
    expect(await it.client.channels.get({ channel_id })).toEqual({ channel })
  })

  test.each([
    ['bare', { id: message_id, content: 'hi', extra: 1 }],
    ['wrapped', { message: { id: message_id, content: 'hi', extra: 1 } }],
    ['behind a byte order mark', `\ufeff${JSON.stringify({ id: message_id, content: 'hi', extra: 1 })}`],
  ])('keeps the unknown fields of a message that is %s [spec: decisions/6]', async (_, body) => {
    await using it = await rig([answer(201, body)])
    expect(await it.client.messages.create({ channel_id, content: 'hi' })).toEqual({
      id: message_id,
      content: 'hi',
      extra: 1,
    })
  })

  test('reads a bare list, and a success without a body [spec: decisions/1, decisions/13]', async () => {
    await using it = await rig([answer(200, [{ emoji: '👍' }]), answer(204, '')])
    expect(await it.client.reactions.list(at)).toEqual({ reactions: [{ emoji: '👍' }] })
    expect(await it.client.messages.pin(at)).toEqual({ ok: true })
  })

  test.each([
    [400, 'ERR_REFUSED'],
    [401, 'ERR_UNAUTHORIZED'],
    [403, 'ERR_FORBIDDEN'],
    [404, 'ERR_REFUSED'],
    [413, 'ERR_REFUSED'],
  ])(
    "%d is %s with the service's message, after one request [spec: 7/400, 7/401, 7/403, 7/404]",
    async (status, code) => {
      await using it = await rig([answer(status, { error: 'because of this' })])
      const error = await drive(it.clock, it.call('me.get', {}))
      expect(error).toMatchObject({ name: 'ServiceError', code, status, endpoint: 'me.get' })
      expect((error as Error).message).toContain('because of this')
      expect(it.seen).toHaveLength(1)
    },
  )
})

describe('answers to a click', () => {
  const click = { interaction_id: id(5), token: 'click-token' }
  const ack = { ...click, type: 'ack' } as const

  test('carry no Authorization header and no budget slot [spec: 4/interactions.callback, decisions/21]', async () => {
    await using it = await rig([answer(200, { ok: true })])
    expect(await it.call('interactions.callback', { ...click, type: 'reply', content: 'hi' })).toEqual({ ok: true })
    const [seen] = it.seen
    expect(seen).toMatchObject({ method: 'POST', path: `/v1/interactions/${id(5)}/click-token/callback` })
    expect(seen!.headers).not.toHaveProperty('authorization')
    expect(bodyOf(seen)).toEqual({ type: 'reply', content: 'hi' })
    expect(it.call.stats().used).toBe(0)
  })

  test('an eleventh or late answer fails without a request [spec: 8/interaction, decisions/22, decisions/23]', async () => {
    await using it = await rig([answer(200, { ok: true })])
    it.call.answers.open(id(5), 900_000)
    for (let i = 0; i < 10; i++) await it.call('interactions.callback', ack)
    expect(it.call.answers.left(id(5))).toBe(0)
    await expect(it.call('interactions.callback', ack)).rejects.toMatchObject({
      code: 'ERR_ANSWERS_USED_UP',
      status: 0,
    })
    it.call.answers.open(id(6), 1000)
    await it.clock.advance(1000)
    await expect(it.call('interactions.callback', { ...ack, interaction_id: id(6) })).rejects.toMatchObject({
      code: 'ERR_INTERACTION_EXPIRED',
    })
    expect(it.seen).toHaveLength(10)
  })

  test('a refusal does not count as an answer, an unknown outcome does', async () => {
    const statuses = [400, 403, 404, 413, 429]
    const refusals = statuses.map((status) => answer(status, { error: 'no' }))
    await using it = await rig([...refusals, answer(429, { error: 'no' }, { 'retry-after': '600' }), answer(502)])
    it.call.answers.open(id(5), 900_000)
    for (const status of [...statuses, 429]) {
      await expect(it.call('interactions.callback', ack)).rejects.toMatchObject({ status })
      expect(it.call.answers.used(id(5))).toBe(0)
    }
    await it.clock.advance(600_000)
    const reply = it.call('interactions.callback', { ...click, type: 'reply', content: 'hi' })
    await expect(reply).rejects.toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
    expect(it.call.answers.used(id(5))).toBe(1)
  })

  test.each([
    ['whose responses cannot be read', [answer(200, 'not JSON')], 'ERR_BAD_ANSWER', 4, 4],
    ['whose second request is refused', [answer(502), answer(404, { error: 'no' })], 'ERR_INTERACTION_UNKNOWN', 2, 1],
    ['that each time gets lost', [hangUp], 'ERR_NO_ANSWER', 4, 4],
  ] as const)(
    'an ack %s counts as one answer for each request that may have arrived',
    async (_, behaviours, code, sent, used) => {
      await using it = await rig([...behaviours])
      it.call.answers.open(id(5), 900_000)
      const made = it.call('interactions.callback', ack)
      const failed = expect(made).rejects.toMatchObject({ code })
      await drive(it.clock, made)
      await failed
      expect([it.seen.length, it.call.answers.used(id(5))]).toEqual([sent, used])
    },
  )

  test('after an ack that was sent twice, the service refuses no answer that the client lets pass', async () => {
    let used = 0
    let isLost = true
    await using it = await rig([
      (response, seen) => {
        const body = ++used > 10 ? { error: 'the interaction already has 10 answers' } : { ok: true }
        const respond = isLost ? hangUp : answer(used > 10 ? 429 : 200, body)
        isLost = false
        respond(response, seen)
      },
    ])
    it.call.answers.open(id(5), 900_000)
    const made = it.call('interactions.callback', ack)
    await drive(it.clock, made)
    expect([used, it.call.answers.left(id(5))]).toEqual([2, 8])
    for (let n = 3; n <= 10; n++) await it.call('interactions.callback', { ...click, type: 'reply', content: `${n}` })
    const eleventh = it.call('interactions.callback', { ...click, type: 'reply', content: 'one more' })
    await expect(eleventh).rejects.toMatchObject({ code: 'ERR_ANSWERS_USED_UP', status: 0 })
    expect(used).toBe(10)
  })

  test('an ack is not repeated when the click may have all its answers', async () => {
    await using it = await rig([...Array.from({ length: 9 }, () => answer(200, { ok: true })), hangUp])
    it.call.answers.open(id(5), 900_000)
    for (let n = 1; n <= 9; n++) await it.call('interactions.callback', { ...click, type: 'reply', content: `${n}` })
    const made = it.call('interactions.callback', ack)
    // The first request may have arrived.
    const message = expect.stringContaining('at most 10 answers; it was not sent again') as string
    const failed = expect(made).rejects.toMatchObject({ code: 'ERR_ANSWERS_USED_UP', message })
    await drive(it.clock, made)
    await failed
    expect(it.seen).toHaveLength(10)
  })

  test.each([
    [404, { error: 'interaction expired' }, 'ERR_INTERACTION_EXPIRED'],
    [404, { error: 'no such interaction' }, 'ERR_INTERACTION_UNKNOWN'],
    [429, { error: 'already answered 10 times' }, 'ERR_RATE_LIMITED'],
  ])('%d %j is %s after one request [spec: decisions/22, decisions/23]', async (status, body, code) => {
    await using it = await rig([answer(status, body)])
    await expect(it.call('interactions.callback', ack)).rejects.toMatchObject({ code, status })
    expect(it.seen).toHaveLength(1)
  })
})
