/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  anyId,
  expectOk,
  expectRefused,
  expectSlowDown,
  type Spec,
  startSpec,
  unknown,
  worldWithout,
} from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const names = async (path: string, call: Spec['bot'] = chat.bot) =>
  ((await call('GET', path)).body.channels as { name: string }[]).map(({ name }) => name)
const create = (body: object) => chat.helper('POST', `${chat.server}/channels`, body)
const change = (name: string, body: object) => chat.helper('PATCH', chat.channel(name), body)

describe('reading', () => {
  it("lists a server's channels and categories in sidebar order, without private ones [spec: 4/channels.listOfServer]", async () => {
    const { status, body } = await chat.bot('GET', `${chat.server}/channels`)
    expect(status).toBe(200)
    expect(Object.keys(body as object).sort()).toEqual(['categories', 'channels'])
    expect(body.channels.map(({ name }: { name: string }) => name)).toEqual([
      'general',
      'random',
      'news',
      'Lounge',
      'talk',
      'work',
    ])
    expect(body.categories).toEqual([
      { id: chat.category('Talk'), name: 'Talk', position: 0 },
      { id: chat.category('Work'), name: 'Work', position: 1 },
    ])
  })

  it('filters by type, and refuses unknown types [spec: 4/channels.listOfServer, 4/channels.list]', async () => {
    expect(await names(`${chat.server}/channels?type=voice`)).toEqual(['Lounge'])
    expect(await names(`${chat.server}/channels?type=text`)).toEqual(['general', 'random', 'news', 'talk', 'work'])
    expect(await names('/channels?type=voice')).toEqual(['Lounge'])
    for (const type of ['dm', 'TEXT', '']) {
      expectRefused(await chat.bot('GET', `${chat.server}/channels?type=${type}`), 400, 'type')
      expectRefused(await chat.bot('GET', `/channels?type=${type}`), 400, 'type')
    }
  })

  it('lists the channels of all servers that the bot is in [spec: 4/channels.list]', async () => {
    expect(await names('/channels')).toEqual(['general', 'random', 'news', 'Lounge', 'talk', 'work', 'annex'])
    expect(await names('/channels', chat.helper)).not.toContain('annex')
    expectOk(await chat.stranger('GET', '/channels'), { channels: [] })
  })

  it('returns one channel, wrapped, with every field of §2 [spec: 4/channels.get, decisions/7]', async () => {
    expectOk(await chat.bot('GET', chat.channel('work')), {
      channel: {
        id: chat.workshop.channels['work'],
        name: 'work',
        type: 'text',
        server_id: chat.workshop.id,
        position: 5,
        category: { id: chat.category('Work'), name: 'Work', position: 1 },
        category_id: chat.category('Work'),
        private: false,
        read_only: false,
        slowmode: 0,
      },
    })
    expectRefused(await chat.bot('GET', `/channels/${unknown}`), 404, 'channel not found')
    expectRefused(await chat.bot('GET', chat.channel('staff')), 404, 'channel not found')
    expectRefused(await chat.stranger('GET', chat.channel('work')), 403, 'not in that server')
  })

  it('shows a private channel once the bot has a role with access [spec: 4/channels.get, 4/channels.listOfServer]', async () => {
    const give = `${chat.server}/members/${chat.botId}/roles/${chat.role('mods')}`
    expectOk(await chat.helper('PUT', give))
    expect((await chat.bot('GET', chat.channel('staff'))).body.channel).toMatchObject({ name: 'staff', private: true })
    expect(await names(`${chat.server}/channels`)).toContain('staff')
    expectOk(await chat.helper('DELETE', give))
    expectRefused(await chat.bot('GET', chat.channel('staff')), 404, 'channel not found')
  })
})

describe('creating', () => {
  it('creates a text channel by default, at the end [spec: 4/channels.create]', async () => {
    const { status, body } = await create({ name: 'ideas' })
    expect([status, body]).toEqual([
      200,
      {
        channel: {
          id: anyId,
          name: 'ideas',
          type: 'text',
          server_id: chat.workshop.id,
          position: 7,
          category: null,
          category_id: null,
          private: false,
          read_only: false,
          slowmode: 0,
        },
      },
    ])
    expectOk(await chat.bot('GET', `/channels/${body.channel.id}`), body)
    const second = await create({ name: 'Stage', kind: 'voice', category_id: chat.category('Talk') })
    expect(second.body.channel).toMatchObject({ type: 'voice', category: { name: 'Talk' }, position: 8 })
    expect(await names(`${chat.server}/channels`)).toEqual(expect.arrayContaining(['ideas', 'Stage']) as string[])
  })

  it('requires a name, a valid kind, and a category of this server [spec: 4/channels.create]', async () => {
    expectRefused(await create({}), 400, 'name: is required')
    expectRefused(await create({ name: ' ' }), 400, 'name')
    expectRefused(await create({ name: 'a', kind: 'stage' }), 400, 'kind')
    expectRefused(await create({ name: 'a', category_id: unknown }), 400, 'category_id')
    expectRefused(await create({ name: 'a', category_id: chat.annex.categories['Elsewhere']! }), 400, 'category_id')
    expect(await names(`${chat.server}/channels`)).toHaveLength(6)
  })

  it('requires manage_channels and no other permission [spec: 4/channels.create, 4/channels.update, 4/channels.delete, 7/403]', async () => {
    expectRefused(await chat.bot('POST', `${chat.server}/channels`, { name: 'a' }), 403, 'manage_channels')
    await using other = await startSpec({ world: worldWithout('manage_channels') })
    expectRefused(await other.helper('POST', `${other.server}/channels`, { name: 'a' }), 403, 'manage_channels')
    expectRefused(await other.helper('PATCH', other.channel('general'), { name: 'a' }), 403, 'manage_channels')
    expectRefused(await other.helper('DELETE', other.channel('general')), 403, 'manage_channels')
  })

  it('is limited to 10 a minute per server, across bots and people [spec: 8/new_channels, 7/429, decisions/40]', async () => {
    const { requests } = limits.new_channels
    for (let i = 0; i < requests - 1; i++) expect((await create({ name: `c${i}` })).status).toBe(200)
    expectRefused(await create({ name: '' }), 400, 'name')
    const byAnn = () => chat.person('ann', 'POST', `${chat.server}/channels`, { name: 'by ann' })
    expect((await byAnn()).status).toBe(200)
    expectSlowDown(await create({ name: 'one more' }), 60)
    expectSlowDown(await byAnn(), 60)
    const elsewhere = await chat.person('dora', 'POST', `${chat.annexServer}/channels`, { name: 'elsewhere' })
    expect(elsewhere.status).toBe(200)
    await chat.clock.advance(59_000)
    expectSlowDown(await create({ name: 'one more' }), 1)
    await chat.clock.advance(1000)
    expect((await create({ name: 'one more' })).status).toBe(200)
  })
})

describe('changing', () => {
  it('updates single fields and keeps the others [spec: 4/channels.update, decisions/7]', async () => {
    const before = (await chat.bot('GET', chat.channel('talk'))).body.channel as object
    const category = { id: chat.category('Work'), name: 'Work', position: 1 }
    const steps: [object, object][] = [
      [{ name: 'chatter' }, { name: 'chatter' }],
      [{ category_id: category.id }, { category_id: category.id, category }],
      [{ category_id: null }, { category_id: null, category: null }],
      [{ slowmode: 5 }, { slowmode: 5 }],
      [{ read_only: true }, { read_only: true }],
      [{}, {}],
    ]
    let expected = before
    for (const [body, changed] of steps) {
      expected = { ...expected, ...changed }
      expectOk(await change('talk', body), { channel: expected })
      expectOk(await chat.bot('GET', chat.channel('talk')), { channel: expected })
    }
  })

  it('private with role_ids gives access to those roles only [spec: 4/channels.update]', async () => {
    expectOk(await change('talk', { private: true, role_ids: [chat.role('bots')] }), {
      channel: expect.objectContaining({ private: true }),
    })
    expectRefused(await chat.bot('GET', chat.channel('talk')), 404, 'channel not found')
    expect((await chat.helper('GET', chat.channel('talk'))).status).toBe(200)
    expect((await change('talk', { private: false })).status).toBe(200)
    expect((await chat.bot('GET', chat.channel('talk'))).status).toBe(200)
  })

  it('read_only with post_role_ids allows those roles to post [spec: 4/channels.update, decisions/27]', async () => {
    const speak = (name: string) => chat.person(name, 'POST', chat.messages('talk'), { content: 'hello' })
    expect((await change('talk', { read_only: true, post_role_ids: [chat.role('crew')] })).status).toBe(200)
    expect((await speak('carol')).status).toBe(200)
    expect((await speak('bob')).status).toBe(200)
    expectRefused(await speak('sam'), 403, 'read-only')
    expectRefused(await chat.send({ content: 'hello' }, 'talk'), 403, 'read-only')
    await change('talk', { post_role_ids: [] })
    expectRefused(await speak('carol'), 403, 'read-only')
  })

  it('refuses roles of another server and invalid kinds, without changing anything [spec: 4/channels.update]', async () => {
    const foreign = chat.annex.roles['guests']!
    expectRefused(await change('talk', { name: 'x', role_ids: [chat.role('mods'), foreign] }), 400, 'role_ids[1]')
    expectRefused(await change('talk', { post_role_ids: [unknown] }), 400, 'post_role_ids[0]')
    expectRefused(await change('talk', { role_ids: 'mods' }), 400, 'role_ids')
    expectRefused(await change('talk', { private: 1 }), 400, 'private')
    expectRefused(await change('talk', { name: '' }), 400, 'name')
    expectRefused(await change('talk', { category_id: unknown }), 400, 'category_id')
    expect((await chat.bot('GET', chat.channel('talk'))).body.channel).toMatchObject({ name: 'talk', private: false })
  })

  it('accepts a slowmode of up to 21600 seconds [spec: 8/channel_slowmode]', async () => {
    const max = limits.channel_slowmode.seconds
    for (const slowmode of [0, 1, max - 1, max]) {
      expect((await change('talk', { slowmode })).body.channel.slowmode).toBe(slowmode)
    }
    for (const slowmode of [max + 1, -1, 1.5, '5', null]) {
      expectRefused(await change('talk', { slowmode }), 400, 'slowmode')
    }
    expect((await chat.bot('GET', chat.channel('talk'))).body.channel.slowmode).toBe(max)
  })

  it('slowmode limits each bot to one message per interval, except with manage_messages or a post role [spec: 8/channel_slowmode, decisions/27]', async () => {
    await change('talk', { slowmode: 30, post_role_ids: [chat.role('crew')] })
    const send = (content: string) => chat.send({ content }, 'talk')
    expect((await send('1')).status).toBe(200)
    await chat.clock.advance(29_000)
    expectSlowDown(await send('2'), 1)
    expect((await chat.send({ content: '2' })).status).toBe(200)
    await chat.clock.advance(1000)
    expect((await send('2')).status).toBe(200)
    for (const content of ['a', 'b']) {
      expect((await chat.helper('POST', chat.messages('talk'), { content })).status).toBe(200)
      expect((await chat.person('carol', 'POST', chat.messages('talk'), { content })).status).toBe(200)
    }
    expect((await chat.person('sam', 'POST', chat.messages('talk'), { content: 'a' })).status).toBe(200)
    expectSlowDown(await chat.person('sam', 'POST', chat.messages('talk'), { content: 'b' }), 30)
  })
})

describe('deleting', () => {
  it('deletes the channel with its messages, and no other channel [spec: 4/channels.delete]', async () => {
    await chat.says('ann', 'soon gone', 'talk')
    expectOk(await chat.helper('DELETE', chat.channel('talk')))
    expectRefused(await chat.bot('GET', chat.channel('talk')), 404, 'channel not found')
    expectRefused(await chat.bot('GET', chat.messages('talk')), 404, 'channel not found')
    expectRefused(await chat.helper('DELETE', chat.channel('talk')), 404, 'channel not found')
    expect(await names(`${chat.server}/channels`)).toEqual(['general', 'random', 'news', 'Lounge', 'work'])
  })
})
