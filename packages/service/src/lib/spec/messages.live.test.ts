/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyId, anyTime, expectOk, expectRefused, type Spec, startSpec, unknown, x } from './rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const one = (id: string) => `${chat.messages()}/${id}`
const get = async (id: string) => (await chat.bot('GET', one(id))).body as Record<string, unknown>
const row = (custom_id: string) => ({
  type: 'row',
  components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id }],
})

describe('posting', () => {
  it('returns the whole message, unwrapped, and shows it to others [spec: 4/messages.create, 4/messages.get, decisions/6]', async () => {
    const first = await chat.says('ann', 'first')
    const embeds = [{ title: 'T', description: 'D', color: '#00ff00' }]
    const { status, body } = await chat.send({ content: 'hi', embeds, components: [row('a')], reply_to: first.id })
    expect([status, body]).toEqual([
      200,
      {
        id: anyId,
        channel_id: chat.workshop.channels['general'],
        channel_name: 'general',
        server_id: chat.workshop.id,
        author_id: chat.botId,
        author: 'pollster',
        content: 'hi',
        attachment: null,
        reply_to_id: first.id,
        created_at: anyTime,
        mentioned: false,
        author_bot: true,
        embeds,
        components: [row('a')],
        pinned: false,
        edited_at: null,
        reactions: [],
      },
    ])
    expectOk(await chat.bot('GET', one(body.id as string)), body)
    expect((await chat.person('bob', 'GET', chat.messages())).body.messages.at(-1)).toMatchObject({ id: body.id })
  })

  it('requires content or embeds [spec: 4/messages.create]', async () => {
    for (const body of [{}, { content: '' }, { content: ' \n' }, { embeds: [] }, { components: [row('a')] }]) {
      expectRefused(await chat.send(body), 400, 'content: a message needs content or embeds')
    }
    expect((await chat.send({ embeds: [{ title: 'alone' }] })).body).toMatchObject({ content: '' })
    expect((await chat.bot('GET', chat.messages())).body.messages).toHaveLength(1)
  })

  it('allows replies only to messages in the same channel [spec: decisions/34]', async () => {
    const elsewhere = await chat.says('ann', 'elsewhere', 'random')
    for (const reply_to of [unknown, elsewhere.id]) {
      expectRefused(await chat.send({ content: 'x', reply_to }), 400, 'reply_to')
    }
    expectRefused(await chat.send({ content: 'x', reply_to: 'first' }), 400, 'reply_to: must be a UUID')
    expect((await chat.bot('GET', chat.messages())).body.messages).toEqual([])
  })

  it('refuses private channels, voice channels, and bots that are not in the server [spec: 4/messages.create, 7/403, 7/404]', async () => {
    expectRefused(await chat.send({ content: 'x' }, 'staff'), 404, 'channel not found')
    expectRefused(await chat.send({ content: 'x' }, 'Lounge'), 400, 'voice channel')
    expectRefused(await chat.stranger('POST', chat.messages(), { content: 'x' }), 403, 'not in that server')
    expectRefused(await chat.bot('POST', `/channels/${unknown}/messages`, { content: 'x' }), 404, 'channel not found')
  })

  it('sets `mentioned` only for the mentioned users [spec: 6/message]', async () => {
    const { id } = await chat.says('ann', `<@${chat.botId}> and <#${chat.workshop.channels['random']!}>`)
    expect(await get(id)).toMatchObject({ mentioned: true })
    expect((await chat.helper('GET', one(id))).body.mentioned).toBe(false)
  })
})

describe('reading', () => {
  it('lists messages oldest first, with each author once [spec: 4/messages.list, decisions/8]', async () => {
    await chat.says('ann', '1')
    await chat.send({ content: '2' })
    await chat.says('ann', '3')
    const { body } = await chat.bot('GET', chat.messages())
    expect(Object.keys(body as object).sort()).toEqual(['authors', 'messages'])
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(['1', '2', '3'])
    expect(body.messages[1]).toEqual(await get(body.messages[1].id as string))
    const author = { display_name: null, avatar_url: null }
    expect(body.authors).toHaveLength(2)
    expect(body.authors).toEqual(
      expect.arrayContaining([
        { ...author, id: chat.userId('ann'), username: 'ann', bot: false },
        { ...author, id: chat.botId, username: 'pollster', bot: true },
      ]),
    )
    expectOk(await chat.bot('GET', chat.messages('random')), { messages: [], authors: [] })
  })

  it('returns 50 messages by default and up to 100 [spec: 4/messages.list, 8/messages_page]', slow, async () => {
    const { default: usual, max } = limits.messages_page
    for (let i = 0; i < max + 1; i++) await chat.says('ann', `${i}`)
    const texts = async (query: string) =>
      ((await chat.bot('GET', `${chat.messages()}${query}`)).body.messages as { content: string }[]).map((each) =>
        Number(each.content),
      )
    for (const [query, count] of [
      ['', usual],
      ['?limit=1', 1],
      [`?limit=${max - 1}`, max - 1],
      [`?limit=${max}`, max],
    ] as const) {
      const found = await texts(query)
      expect(found).toEqual(Array.from({ length: count }, (_, i) => max + 1 - count + i))
    }
    const { messages } = (await chat.bot('GET', `${chat.messages()}?limit=${max}`)).body
    expect(await texts(`?before=${messages[0].created_at}`)).toEqual([0])
    expect(await texts(`?after=${messages[max - 2].created_at}`)).toEqual([max])
    expect(await texts(`?after=1970-01-01&limit=3`)).toEqual([0, 1, 2])
    const [from, to] = [messages[3].created_at, messages[6].created_at]
    expect(await texts(`?after=${from}&before=${to}`)).toEqual([5, 6])
  })

  it('compares times exactly, whatever their digits [spec: decisions/56]', async () => {
    const { id } = await chat.says('ann', 'one')
    const at = ((await get(id)) as { created_at: string }).created_at.replace('Z', '')
    const found = async (query: string) =>
      (await chat.bot('GET', `${chat.messages()}?${query}`)).body.messages.length as number
    expect(await found(`before=${at}Z`)).toBe(0)
    expect(await found(`before=${at}000000000000Z`)).toBe(0)
    expect(await found(`before=${at}000000000001Z`)).toBe(1)
    expect(await found(`after=${at}000000000001Z`)).toBe(0)
    const beforeIt = new Date(Date.parse(`${at}Z`) - 1).toISOString().replace('Z', '999999999999Z')
    expect(await found(`after=${beforeIt}`)).toBe(1)
    await chat.says('ann', 'a millisecond later')
    expect(await found(`before=${at}1234567890Z`)).toBe(1)
  })

  it.each(['0', '101', '-1', 'x', '', '1.5'])(
    'refuses limit=%s [spec: 8/messages_page, decisions/39]',
    async (limit) => {
      expectRefused(await chat.bot('GET', `${chat.messages()}?limit=${limit}`), 400, 'limit')
    },
  )

  it.each(['yesterday', '5', '', '2026-13-01', '2026-02-30T00:00:00Z', unknown])(
    'refuses before=%s and after=%s [spec: decisions/39]',
    async (time) => {
      expectRefused(await chat.bot('GET', `${chat.messages()}?before=${time}`), 400, 'before: must be an ISO 8601 time')
      expectRefused(await chat.bot('GET', `${chat.messages()}?after=${time}`), 400, 'after: must be an ISO 8601 time')
    },
  )

  it('returns 404 for messages of other channels [spec: 4/messages.get, 7/404]', async () => {
    const { id } = await chat.says('ann', 'here', 'random')
    expectRefused(await chat.bot('GET', one(id)), 404, 'message not found')
    expectRefused(await chat.bot('GET', one(unknown)), 404, 'message not found')
    expect((await chat.bot('GET', `${chat.messages('random')}/${id}`)).status).toBe(200)
  })
})

describe('editing', () => {
  const made = async () =>
    (await chat.send({ content: 'a', embeds: [{ title: 't' }], components: [row('a')] })).body.id as string
  const edit = (id: string, body: object) => chat.bot('PATCH', one(id), body)

  it('keeps omitted parts, removes those set to null, and does not mark button changes as edits [spec: 4/messages.update]', async () => {
    const id = await made()
    const start = await get(id)
    expectOk(await edit(id, {}), start)
    expectOk(await edit(id, { components: [row('b')] }), { ...start, components: [row('b')] })
    expectOk(await edit(id, { components: null }), { ...start, components: [] })
    await chat.clock.advance(5000)
    const edited_at = new Date(chat.clock.now()).toISOString()
    const expected = { ...start, components: [], content: 'b', edited_at }
    expectOk(await edit(id, { content: 'b' }), expected)
    expectOk(await edit(id, { embeds: null }), { ...expected, embeds: [] })
    expect(await get(id)).toEqual({ ...expected, embeds: [] })
  })

  it('allows only the author, whatever the permissions [spec: 4/messages.update, 7/403]', async () => {
    const id = await made()
    expectRefused(await chat.helper('PATCH', one(id), { content: 'x' }), 403, 'only the author')
    expectRefused(await chat.person('ann', 'PATCH', one(id), { content: 'x' }), 403, 'only the author')
    expectRefused(await edit(unknown, { content: 'x' }), 404, 'message not found')
    expect((await get(id))['content']).toBe('a')
  })

  it('refuses an edit that leaves no visible content [spec: decisions/42]', async () => {
    const id = await made()
    expectRefused(await edit(id, { content: '', embeds: null }), 400, 'content')
    expectOk(await edit(id, { content: '' }), { ...(await get(id)), content: '', edited_at: anyTime })
    for (const embeds of [null, []]) expectRefused(await edit(id, { embeds }), 400, 'content')
    expect((await get(id))['embeds']).toEqual([{ title: 't' }])
    expectRefused(await edit(id, { content: null }), 400, 'content')
  })

  it('does not count towards the message limit or as a duplicate [spec: 8/messages, decisions/24]', async () => {
    const id = await made()
    for (let i = 0; i < limits.messages.requests + 1; i++) {
      expect((await edit(id, { content: `${i % 2}` })).status).toBe(200)
      // As fast as the service accepts edits of one message, but within the minute.
      await chat.clock.advance(1000)
    }
    expect((await chat.send({ content: 'next' })).status).toBe(200)
  })
})

describe('deleting and pinning', () => {
  it("deletes the bot's own messages, and those of others with manage_messages [spec: 4/messages.delete, 7/403]", async () => {
    const theirs = await chat.says('carol', 'hers')
    const { id } = (await chat.send({ content: 'mine' })).body
    expectRefused(await chat.bot('DELETE', one(theirs.id)), 403, 'manage_messages')
    expectOk(await chat.bot('DELETE', one(id as string)))
    expectRefused(await chat.bot('DELETE', one(id as string)), 404, 'message not found')
    expectOk(await chat.helper('DELETE', one(theirs.id)))
    expectRefused(await chat.bot('GET', one(theirs.id)), 404, 'message not found')
  })

  it('deletes in bulk and returns deleted and skipped ids [spec: 4/messages.bulkDelete, decisions/41]', async () => {
    const theirs = (await chat.says('carol', 'hers')).id
    const elsewhere = (await chat.says('carol', 'elsewhere', 'random')).id
    const mine = (await chat.send({ content: 'mine' })).body.id as string
    const ids = [theirs, mine, unknown, elsewhere, mine]
    expectOk(await chat.bot('POST', `${chat.messages()}/bulk-delete`, { ids }), {
      deleted: [mine],
      skipped: [theirs, unknown, elsewhere],
    })
    expectOk(await chat.helper('POST', `${chat.messages()}/bulk-delete`, { ids }), {
      deleted: [theirs],
      skipped: [mine, unknown, elsewhere],
    })
    expect((await chat.bot('GET', chat.messages('random'))).body.messages).toHaveLength(1)
  })

  it('deletes up to 100 ids in bulk [spec: 8/bulk_delete]', async () => {
    const bulk = (ids: unknown) => chat.helper('POST', `${chat.messages()}/bulk-delete`, { ids })
    const { id } = await chat.says('carol', 'one of many')
    const fill = (count: number) => [
      id,
      ...Array.from({ length: count - 1 }, (_, i) => unknown.slice(0, -4) + String(1000 + i)),
    ]
    expectRefused(await bulk(fill(limits.bulk_delete.ids + 1)), 400, 'ids: must be at most 100 ids')
    expect((await chat.bot('GET', one(id))).status).toBe(200)
    expect((await bulk(fill(limits.bulk_delete.ids))).body.deleted).toEqual([id])
    expect((await bulk(fill(limits.bulk_delete.ids - 1))).body.skipped).toHaveLength(limits.bulk_delete.ids - 1)
    expectOk(await bulk([]), { deleted: [], skipped: [] })
    for (const ids of [undefined, 'x', [5], ['x']]) expectRefused(await bulk(ids), 400, 'ids')
  })

  it('requires manage_messages to pin, also for own messages, and is idempotent [spec: 4/messages.pin, 4/messages.unpin, 7/403]', async () => {
    const { id } = (await chat.send({ content: 'mine' })).body as { id: string }
    for (const method of ['PUT', 'DELETE']) {
      expectRefused(await chat.bot(method, `${one(id)}/pin`), 403, 'manage_messages')
      expectRefused(await chat.helper(method, `${one(unknown)}/pin`), 404, 'message not found')
    }
    for (let i = 0; i < 2; i++) expectOk(await chat.helper('PUT', `${one(id)}/pin`))
    expect(await get(id)).toMatchObject({ pinned: true, edited_at: null })
    for (let i = 0; i < 2; i++) expectOk(await chat.helper('DELETE', `${one(id)}/pin`))
    expect(await get(id)).toMatchObject({ pinned: false, content: 'mine' })
  })

  it('accepts 1999 and 2000 characters and refuses 2001, in posts and edits [spec: 8/message_content, decisions/45]', async () => {
    const max = limits.message_content.characters
    const { id } = (await chat.send({ content: 'start' })).body as { id: string }
    for (const content of [x(max - 1), x(max), '🙂'.repeat(max)]) {
      expect((await chat.send({ content })).body.content).toBe(content)
      expect((await chat.bot('PATCH', one(id), { content })).body.content).toBe(content)
    }
    for (const content of [x(max + 1), '🙂'.repeat(max + 1)]) {
      expectRefused(await chat.send({ content }), 400, `content: must be at most ${max} characters`)
      expectRefused(await chat.bot('PATCH', one(id), { content }), 400, 'content')
    }
    expect((await get(id))['content']).toBe('🙂'.repeat(max))
  })
})
