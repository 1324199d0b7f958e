/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call, typescript/no-unsafe-return -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyId, anyTime, expectOk, expectRefused, type Spec, startSpec } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const poll = async (query: string, token?: string) => await chat.bot('GET', `/events?${query}`, undefined, token)
const newest = async () => (await poll('after=0')).body.last as number

describe('event data', () => {
  it('message: exactly the fields of §6 [spec: 6/message, decisions/5]', async () => {
    const first = await chat.says('bob', 'first')
    await chat.events()
    const content = `<@${chat.botId}> hello`
    const { body } = await chat.person('ann', 'POST', chat.messages(), { content, reply_to: first.id })
    expect(await chat.events()).toEqual([
      {
        id: expect.any(Number),
        type: 'message',
        created_at: anyTime,
        data: {
          id: body.id,
          channel_id: chat.workshop.channels['general'],
          channel_name: 'general',
          server_id: chat.workshop.id,
          author_id: chat.userId('ann'),
          author: 'ann',
          content,
          attachment: null,
          reply_to_id: first.id,
          created_at: anyTime,
          mentioned: true,
          author_bot: false,
        },
      },
    ])
  })

  it('message: sent for other bots with author_bot, not for own messages [spec: 6/message]', async () => {
    const helperHears = await chat.feedOf('token-of-helper')
    await chat.send({ content: 'from pollster' })
    await chat.helper('POST', chat.messages(), { content: 'from helper' })
    expect((await chat.events()).map(({ data }) => [data.author, data.author_bot])).toEqual([['helper', true]])
    expect((await helperHears()).map(({ data }) => [data['author'], data['author_bot']])).toEqual([['pollster', true]])
  })

  it('message: not sent for a private channel until a role of the bot has access [spec: 6/message]', async () => {
    const helperHears = await chat.feedOf('token-of-helper')
    await chat.says('bob', 'secret', 'staff')
    expect([await chat.events(), await helperHears()]).toEqual([[], []])
    await chat.person('ann', 'PATCH', chat.channel('staff'), { role_ids: [chat.role('mods'), chat.role('bots')] })
    await chat.says('bob', 'still secret', 'staff')
    expect(await chat.events()).toEqual([])
    expect((await helperHears()).map(({ data }) => data['content'])).toEqual(['still secret'])
  })

  it('message: not sent for servers that the bot is not in, nor for edits and deletions [spec: 6/message]', async () => {
    const strangerHears = await chat.feedOf('token-of-stranger')
    const { id } = await chat.says('ann', 'hello')
    await chat.events()
    await chat.person('ann', 'PATCH', `${chat.messages()}/${id}`, { content: 'hello again' })
    await chat.person('ann', 'DELETE', `${chat.messages()}/${id}`)
    expect([await chat.events(), await strangerHears()]).toEqual([[], []])
  })

  it('member_join and member_leave: sent only to the bots of that server [spec: 6/member_join, 6/member_leave]', async () => {
    const helperHears = await chat.feedOf('token-of-helper')
    const place = { server_id: chat.annex.id, channel_id: null, user_id: chat.userId('eve'), username: 'eve' }
    expectOk(await chat.person('eve', 'PUT', `${chat.annexServer}/members/me`))
    expectOk(await chat.person('eve', 'DELETE', `${chat.annexServer}/members/me`))
    expect((await chat.events()).map(({ type, data }) => [type, data])).toEqual([
      ['member_join', { ...place, joined_at: anyTime, member_count: 3 }],
      ['member_leave', { ...place, member_count: 2 }],
    ])
    expect(await helperHears()).toEqual([])
  })

  it('member_leave: also sent for kicks and bans [spec: 6/member_leave]', async () => {
    await chat.helper('POST', `${chat.server}/kick`, { user_id: chat.userId('bob') })
    await chat.helper('POST', `${chat.server}/bans`, { user_id: chat.userId('carol') })
    expect((await chat.events()).map(({ type, data }) => [type, data.username, data.member_count])).toEqual([
      ['member_leave', 'bob', 4],
      ['member_leave', 'carol', 3],
    ])
  })

  it('reaction_add and reaction_remove: user, emoji and message author [spec: 6/reaction_add, 6/reaction_remove]', async () => {
    const { id } = await chat.says('ann', 'like this')
    await chat.events()
    const path = `${chat.messages()}/${id}/reactions/${encodeURIComponent('👍')}`
    await chat.person('bob', 'PUT', path)
    await chat.person('bob', 'DELETE', path)
    await chat.bot('PUT', path)
    await chat.bot('DELETE', path)
    const data = {
      message_id: id,
      channel_id: chat.workshop.channels['general'],
      server_id: chat.workshop.id,
      user_id: chat.userId('bob'),
      username: 'bob',
      emoji: '👍',
      message_author_id: chat.userId('ann'),
    }
    expect((await chat.events()).map((each) => [each.type, each.data])).toEqual([
      ['reaction_add', data],
      ['reaction_remove', data],
    ])
  })

  it("interaction: the fields of §6, sent only to the button's bot [spec: 6/interaction]", async () => {
    const helperHears = await chat.feedOf('token-of-helper')
    const at = chat.clock.now()
    const { data, messageId, made } = await chat.clicked('bob', 'vote:1')
    expect(data).toEqual({
      id: made.body.interaction_id,
      token: expect.stringMatching(/^\S{16,}$/),
      type: 'button',
      custom_id: 'vote:1',
      message_id: messageId,
      channel_id: chat.workshop.channels['general'],
      server_id: chat.workshop.id,
      user_id: chat.userId('bob'),
      username: 'bob',
      expires_at: new Date(at + limits.interaction.open_seconds * 1000).toISOString(),
    })
    expect((await helperHears()).map(({ type }) => type)).toEqual(['message'])
  })

  it('test: sent from the Developer screen of the owner [spec: 6/test]', async () => {
    const press = (name: string) => chat.person(name, 'POST', `/bots/${chat.botId}/test-event`)
    expectOk(await press('ann'))
    const [event] = await chat.events()
    expect(event).toMatchObject({ type: 'test', data: { channel_id: null, server_id: null } })
    expectRefused(await press('bob'), 404, 'bot')
    expect(await chat.events()).toEqual([])
  })
})

describe('the feed', () => {
  it('returns each id once and in order, and continues from `last` [spec: 4/events.list]', async () => {
    const start = await newest()
    for (let i = 0; i < 5; i++) await chat.says('ann', `${i}`)
    const first = (await poll(`after=${start}`)).body
    const ids = first.events.map(({ id }: { id: number }) => id) as number[]
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(first.events.map(({ data }: { data: { content: string } }) => data.content)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ])
    expect(first.last).toBeGreaterThanOrEqual(ids[4]!)
    expect((await poll(`after=${first.last}`)).body).toEqual({ events: [], last: first.last })
    expect((await poll(`after=${ids[2]!}`)).body.events).toHaveLength(2)
    expect((await poll(`after=${start}`)).body).toEqual(first)
  })

  it('numbers the events of all bots in one sequence, so that ids have gaps [spec: decisions/19]', async () => {
    await chat.says('ann', 'to both')
    await chat.says('ann', 'to both again')
    const [one, two] = await chat.events()
    expect(two!.id - one!.id).toBe(2)
  })

  it('after=0 returns immediately without events, with the newest id, which is never 0 [spec: 4/events.list, decisions/35]', async () => {
    const fresh = await newest()
    expect(fresh).toBeGreaterThan(0)
    await chat.says('ann', 'before')
    const { body } = await poll('after=0&wait=25')
    expect(body).toEqual({ events: [], last: body.last })
    expect(body.last).toBeGreaterThan(fresh)
    expect((await poll(`after=${fresh}`)).body.events[0].id).toBeGreaterThan(1)
  })

  it('after above the newest id returns immediately with the newest [spec: decisions/17]', async () => {
    const last = await newest()
    expectOk(await poll(`after=${last + 1}&wait=25`), { events: [], last })
    expectOk(await poll(`after=${Number.MAX_SAFE_INTEGER}&wait=25`), { events: [], last })
  })

  it('does not wait by default [spec: decisions/16]', async () => {
    const last = await newest()
    expectOk(await poll(`after=${last}`), { events: [], last })
  })

  it.each([limits.event_poll_wait.seconds - 1, limits.event_poll_wait.seconds])(
    'wait=%d waits exactly that long [spec: 8/event_poll_wait, decisions/16]',
    async (seconds) => {
      const last = await newest()
      // Wait until the presence of the first poll has ended, so that the poll's own timer is the only one.
      await chat.clock.advance(60_000)
      const idle = chat.clock.waiting
      let answered = false
      const waiting = poll(`after=${last}&wait=${seconds}`).finally(() => (answered = true))
      await expect.poll(() => chat.clock.waiting).toBeGreaterThan(idle)
      await chat.clock.advance(seconds * 1000 - 1)
      await chat.bot('GET', '/me')
      expect(answered).toBe(false)
      await chat.clock.advance(1)
      expectOk(await waiting, { events: [], last })
    },
  )

  it.each(['26', '-1', '1.5', 'x', '', '1e1', ' 1', '+1', 'Infinity'])(
    'refuses wait=%s [spec: 8/event_poll_wait, decisions/16, decisions/39]',
    async (wait) => {
      expectRefused(await poll(`after=1&wait=${encodeURIComponent(wait)}`), 400, 'wait')
    },
  )

  it.each(['-1', '1.5', 'x', '', '9007199254740993'])('refuses after=%s [spec: decisions/39]', async (after) => {
    expectRefused(await poll(`after=${after}`), 400, 'after')
  })

  it("a waiting poll ends with the first event, but not with another bot's event [spec: 4/events.list]", async () => {
    const last = await newest()
    let answered = false
    const waiting = poll(`after=${last}&wait=25`).finally(() => (answered = true))
    await chat.person('ann', 'POST', `/bots/${chat.helperId}/test-event`)
    await chat.bot('GET', '/me')
    expect(answered).toBe(false)
    await chat.says('ann', 'now')
    expect((await waiting).body.events).toMatchObject([{ type: 'message', data: { content: 'now' } }])
  })

  it('two programs with one token both receive every event [spec: decisions/33]', async () => {
    const last = await newest()
    const waiting = [poll(`after=${last}&wait=25`), poll(`after=${last}&wait=25`)]
    await expect.poll(() => chat.clock.waiting).toBeGreaterThan(1)
    await chat.says('ann', 'for both')
    const [one, two] = await Promise.all(waiting)
    expect(one!.body).toEqual(two!.body)
    expect(one!.body.events).toHaveLength(1)
  })

  it('keeps every event for exactly a day [spec: 8/event_retention, decisions/18]', async () => {
    const start = await newest()
    await chat.says('ann', 'old')
    await chat.clock.advance(1000)
    await chat.says('ann', 'young')
    const contents = async () =>
      ((await poll(`after=${start}`)).body.events as { data: { content: string } }[]).map(({ data }) => data.content)
    const day = limits.event_retention.seconds * 1000
    await chat.clock.advance(day - 1001)
    expect(await contents()).toEqual(['old', 'young'])
    await chat.clock.advance(1)
    expect(await contents()).toEqual(['young'])
    await chat.clock.advance(1000)
    expect(await contents()).toEqual([])
    expect(await newest()).toBeGreaterThan(start)
  })

  it('events of direct messages have no server [spec: 6/message]', async () => {
    const { channel_id } = (await chat.bot('POST', `/users/${chat.userId('eve')}/dm`)).body
    await chat.person('eve', 'POST', `/channels/${channel_id}/messages`, { content: 'psst' })
    expect((await chat.events())[0]!.data).toMatchObject({ id: anyId, channel_id, server_id: null, channel_name: null })
  })
})
