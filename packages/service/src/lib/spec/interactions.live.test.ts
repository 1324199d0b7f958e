/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  anyId,
  anyTime,
  expectNever,
  expectOk,
  expectRefused,
  expectSlowDown,
  type Spec,
  startSpec,
  unknown,
  x,
} from './rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const button = (custom_id: string, more: object = {}) => ({
  type: 'button',
  style: 'primary',
  label: 'Yes',
  custom_id,
  ...more,
})
const rows = (...buttons: object[]) => [{ type: 'row', components: buttons }]
const { open_seconds, answer_seconds, answers } = limits.interaction
const callback = (id: string, token: string, body: unknown, auth?: string) =>
  chat.call('POST', `/v1/interactions/${id}/${token}/callback`, { body, ...(auth !== undefined && { auth }) })

describe('the four answers', () => {
  it('reply: creates a message with all parts [spec: 4/interactions.callback]', async () => {
    const { answer, state } = await chat.clicked()
    const parts = { content: 'thanks', embeds: [{ title: 't' }], components: rows(button('again')) }
    const { status, body } = await answer({ type: 'reply', ...parts })
    expect([status, body]).toEqual([
      200,
      { ok: true, message: expect.objectContaining({ ...parts, author: 'pollster' }) },
    ])
    expectOk(await chat.bot('GET', `${chat.messages()}/${body.message.id}`), body.message)
    expect((await state()).body).toEqual({
      state: 'answered',
      answers: [{ type: 'reply', at: anyTime, message: expect.objectContaining({ id: body.message.id }) }],
    })
  })

  it('are shown to the clicker without messages of a channel that the clicker cannot see now', async () => {
    const { answer, state } = await chat.clicked('bob')
    const { message } = (await answer({ type: 'reply', content: 'thanks' })).body
    await chat.person('ann', 'POST', `${chat.server}/kick`, { user_id: chat.userId('bob') })
    await chat.bot('PATCH', `${chat.messages()}/${message.id}`, { content: 'for members only' })
    expect((await chat.person('bob', 'GET', chat.messages())).status).toBe(403)
    expect((await state()).body).toEqual({ state: 'answered', answers: [{ type: 'reply', at: anyTime }] })
  })

  it('ephemeral: visible only to the clicker, in no list and no event [spec: 4/interactions.callback, decisions/1]', async () => {
    const helperHears = await chat.feedOf('token-of-helper')
    const { answer, state } = await chat.clicked('ann')
    await helperHears()
    expectOk(await answer({ type: 'ephemeral', content: 'psst', embeds: [{ title: 't' }] }))
    const [shown] = (await state()).body.answers
    expect(shown.ephemeral).toEqual({
      id: anyId,
      channel_id: chat.workshop.channels['general'],
      author_id: chat.botId,
      author: 'pollster',
      content: 'psst',
      embeds: [{ title: 't' }],
      created_at: anyTime,
    })
    const list = (await chat.person('bob', 'GET', chat.messages())).body.messages as { content: string }[]
    expect(list.map(({ content }) => content)).toEqual(['vote yes'])
    expect(await helperHears()).toEqual([])
  })

  it('update: keeps omitted parts, removes those set to null [spec: 4/interactions.callback]', async () => {
    const { answer, messageId } = await chat.clicked()
    const get = async () => (await chat.bot('GET', `${chat.messages()}/${messageId}`)).body as Record<string, unknown>
    const before = await get()
    expect((await answer({ type: 'update', components: null })).body.message).toEqual({ ...before, components: [] })
    await answer({ type: 'update', content: 'voted', embeds: [{ title: 't' }] })
    await answer({ type: 'update', content: null })
    expect(await get()).toMatchObject({ content: '', embeds: [{ title: 't' }], components: [], edited_at: anyTime })
    expectRefused(await answer({ type: 'update', embeds: null }), 400, 'content')
    expect(await get()).toMatchObject({ embeds: [{ title: 't' }] })
  })

  it('ack: answers the click without visible output [spec: 4/interactions.callback, decisions/1]', async () => {
    const { answer, state } = await chat.clicked()
    expectOk(await answer({ type: 'ack' }))
    expect((await state()).body).toEqual({ state: 'answered', answers: [{ type: 'ack', at: anyTime }] })
    expect((await chat.bot('GET', chat.messages())).body.messages).toHaveLength(1)
  })

  it('returns 400 for other types, components where not allowed, or no content, and uses up no answer [spec: decisions/43, 4/interactions.callback]', async () => {
    const { answer, state } = await chat.clicked()
    const cases: [object, string][] = [
      [{}, 'type'],
      [{ type: 'shout', content: 'x' }, 'type: must be reply, ack, ephemeral or update'],
      [{ type: 'ephemeral', content: 'x', components: rows(button('a')) }, 'components: only reply and update'],
      [{ type: 'ephemeral', content: 'x', components: [] }, 'components'],
      [{ type: 'ack', components: rows(button('a')) }, 'components: only reply and update'],
      [{ type: 'reply' }, 'content'],
      [{ type: 'reply', components: rows(button('a')) }, 'content'],
      [{ type: 'ephemeral', content: ' ' }, 'content'],
      [{ type: 'reply', content: x(limits.message_content.characters + 1) }, 'content'],
      [{ type: 'ephemeral', embeds: Array.from({ length: 6 }, () => ({ title: 't' })) }, 'embeds'],
      [{ type: 'ephemeral', embeds: [{ image: { url: 'https://evil.example/a.png' } }] }, 'embeds[0].image.url'],
      [
        { type: 'update', components: rows({ type: 'button', style: 'link', label: 'x' }) },
        'components[0].components[0].url',
      ],
    ]
    for (const [body, part] of cases) expectRefused(await answer(body), 400, part)
    expect((await state()).body).toEqual({ state: 'waiting', answers: [] })
    expect((await answer({ type: 'reply', content: x(limits.message_content.characters) })).status).toBe(200)
  })
})

describe('the lifecycle of an interaction', () => {
  it('is authorized by the path token alone, whatever the header [spec: decisions/21, 4/interactions.callback]', async () => {
    const { data } = await chat.clicked()
    for (const auth of [undefined, 'Bot wrong', 'Bot token-of-stranger', 'nonsense']) {
      expectOk(await callback(data.id as string, data.token as string, { type: 'ack' }, auth))
    }
    expectRefused(
      await callback(data.id as string, 'wrong', { type: 'ack' }, 'Bot token-of-pollster'),
      404,
      'not found',
    )
    expectRefused(await callback(unknown, data.token as string, { type: 'ack' }), 404, 'not found')
    const other = (await chat.clicked('bob', 'no')).data
    expectRefused(await callback(data.id as string, other.token as string, { type: 'ack' }), 404, 'not found')
  })

  it("is checked like the bot's other calls: membership, visibility, bans [spec: 7/403, 7/404]", async () => {
    const { answer } = await chat.clicked()
    const general = `/channels/${chat.workshop.channels['general']}`
    expect((await chat.person('ann', 'PATCH', general, { private: true })).status).toBe(200)
    expectRefused(await answer({ type: 'ack' }), 404, 'channel not found')
    expect((await chat.person('ann', 'PATCH', general, { private: false })).status).toBe(200)
    expect((await chat.person('ann', 'DELETE', `${chat.server}/bots/${chat.botId}`)).status).toBe(200)
    expectRefused(await answer({ type: 'ack' }), 403, 'the bot is not in that server')
    expect((await chat.person('ann', 'PUT', `${chat.server}/bots/${chat.botId}`)).status).toBe(200)
    expectOk(await answer({ type: 'ack' }))
    for (let i = 0; i < 3; i++) await chat.send({ content: 'a slur-for-tests here' })
    expectRefused(await answer({ type: 'ack' }), 403, 'banned')
  })

  it('fails for the clicker after 3 seconds, but can still be answered [spec: 8/interaction]', async () => {
    const { answer, state } = await chat.clicked()
    await chat.clock.advance(answer_seconds * 1000 - 1)
    expect((await state()).body.state).toBe('waiting')
    await chat.clock.advance(1)
    expect((await state()).body).toEqual({ state: 'failed', answers: [] })
    expectOk(await answer({ type: 'ack' }))
    expect((await state()).body.state).toBe('answered')
  })

  it('does not fail if answered in time [spec: 8/interaction]', async () => {
    const { answer, state } = await chat.clicked()
    await chat.clock.advance(answer_seconds * 1000 - 1)
    expectOk(await answer({ type: 'ack' }))
    await chat.clock.advance(60_000)
    expect((await state()).body.state).toBe('answered')
  })

  it('is open for exactly 15 minutes after the click [spec: 8/interaction, decisions/22, 7/404]', async () => {
    const { answer } = await chat.clicked()
    const other = await chat.clicked('bob', 'later')
    await chat.clock.advance(open_seconds * 1000 - 1)
    expectOk(await answer({ type: 'ack' }))
    await chat.clock.advance(1)
    expectRefused(await answer({ type: 'ack' }), 404, 'expired')
    expectRefused(await other.answer({ type: 'reply', content: 'late' }), 404, 'expired')
    expect((await chat.bot('GET', chat.messages())).body.messages).toHaveLength(2)
  })

  it('accepts 10 answers of any type per click and refuses the eleventh [spec: 8/interaction, decisions/23, 7/429]', async () => {
    const { answer } = await chat.clicked()
    const other = await chat.clicked('bob', 'other')
    for (let i = 0; i < answers - 1; i++) expect((await answer({ type: 'reply', content: `${i}` })).status).toBe(200)
    expectOk(await answer({ type: 'ack' }))
    for (const body of [{ type: 'ack' }, { type: 'reply', content: 'x' }, { type: 'update', content: 'x' }]) {
      expectNever(await answer(body), '10 answers')
    }
    await chat.clock.advance(60_000)
    expectNever(await answer({ type: 'ack' }), '10 answers')
    expectOk(await other.answer({ type: 'ack' }))
  })

  it('answers do not count towards the 30 messages a minute [spec: decisions/40, 8/messages]', inAll, async () => {
    const { answer } = await chat.clicked()
    for (let i = 0; i < limits.messages.requests - 1; i++)
      expect((await chat.send({ content: `${i}` })).status).toBe(200)
    expectSlowDown(await chat.send({ content: 'one more' }), 60)
    expect((await answer({ type: 'reply', content: 'thanks' })).status).toBe(200)
    await chat.clock.advance(60_000)
    for (let i = 0; i < 9; i++) expect((await answer({ type: 'reply', content: `${i}` })).status).toBe(200)
    for (let i = 0; i < limits.messages.requests; i++) expect((await chat.send({ content: `${i}` })).status).toBe(200)
  })

  it('can be answered in a read-only or slow channel, but not by a bot that is timed out [spec: decisions/51]', async () => {
    const path = chat.channel('general')
    const { answer } = await chat.clicked()
    for (const change of [{ read_only: true }, { read_only: false, slowmode: 60 }, { read_only: true, slowmode: 60 }]) {
      expect((await chat.person('ann', 'PATCH', path, change)).status).toBe(200)
      const content = JSON.stringify(change)
      expect((await answer({ type: 'reply', content: `${content} one` })).status).toBe(200)
      expect((await answer({ type: 'reply', content: `${content} two` })).status).toBe(200)
      expect([403, 429]).toContain((await chat.bot('POST', chat.messages(), { content })).status)
    }
    const timeouts = `${chat.server}/timeouts`
    await chat.person('ann', 'POST', timeouts, { user_id: chat.botId, minutes: 5 })
    expectRefused(await answer({ type: 'reply', content: 'late' }), 403, 'timed out')
    await chat.person('ann', 'POST', timeouts, { user_id: chat.botId, minutes: 0 })
    expect((await answer({ type: 'reply', content: 'in time' })).status).toBe(200)
  })

  it('updating a deleted message is 404 [spec: decisions/49]', async () => {
    const { answer, messageId } = await chat.clicked()
    await chat.bot('DELETE', `${chat.messages()}/${messageId}`)
    expectRefused(await answer({ type: 'update', content: 'x' }), 404, 'message not found')
    expect((await answer({ type: 'reply', content: 'x' })).status).toBe(200)
  })

  it('is visible only to the clicker [spec: 8/interaction]', async () => {
    const { made } = await chat.clicked('ann')
    expectRefused(await chat.person('bob', 'GET', `/clicks/${made.body.interaction_id}`), 404, 'click not found')
  })
})

describe('clicks', () => {
  const post = async (...buttons: object[]) =>
    (await chat.send({ content: `vote ${buttons.length}`, components: rows(...buttons) })).body.id as string
  const click = (name: string, id: string, custom_id: unknown) =>
    chat.person(name, 'POST', `${chat.messages()}/${id}/clicks`, { custom_id })

  it('are limited to 5 in 10 seconds per person [spec: 8/button_clicks, 7/429, decisions/40]', async () => {
    const id = await post(button('a'))
    const { requests, seconds } = limits.button_clicks
    for (let i = 0; i < requests; i++) {
      expect((await click('ann', id, 'a')).status).toBe(200)
      if (i === 0) await chat.clock.advance(4000)
    }
    expectSlowDown(await click('ann', id, 'a'), seconds - 4)
    expect((await click('bob', id, 'a')).status).toBe(200)
    await chat.clock.advance(seconds * 1000 - 4000)
    expect((await click('ann', id, 'a')).status).toBe(200)
    expectSlowDown(await click('ann', id, 'a'), 4)
    expect((await chat.events()).filter(({ type }) => type === 'interaction')).toHaveLength(requests + 2)
  })

  it('are 400 on a disabled, link or missing button, and 404 on a deleted message [spec: decisions/49]', async () => {
    const link = { type: 'button', style: 'link', label: 'x', url: 'https://example.com' }
    const id = await post(button('off', { disabled: true }), button('on', { disabled: false }), link)
    expectRefused(await click('ann', id, 'off'), 400, 'custom_id: this button is disabled')
    expectRefused(await click('ann', id, 'unknown'), 400, 'custom_id')
    expectRefused(await click('ann', id, undefined), 400, 'custom_id')
    expect((await click('ann', id, 'on')).status).toBe(200)
    expectRefused(await click('ann', unknown, 'on'), 404, 'message not found')
    await chat.bot('DELETE', `${chat.messages()}/${id}`)
    expectRefused(await click('ann', id, 'on'), 404, 'message not found')
    expect((await chat.events()).map(({ type }) => type)).toEqual(['interaction'])
  })

  it('do not count if refused [spec: 8/button_clicks]', async () => {
    const id = await post(button('a'))
    for (let i = 0; i < 10; i++) expect((await click('ann', id, 'unknown')).status).toBe(400)
    for (let i = 0; i < 5; i++) expect((await click('ann', id, 'a')).status).toBe(200)
    expect((await click('ann', id, 'a')).status).toBe(429)
  })

  it('require visibility of the channel [spec: 6/interaction]', async () => {
    const id = await post(button('a'))
    expectRefused(await click('eve', id, 'a'), 403, 'not in that server')
  })
})
