/* eslint @typescript-eslint/no-unsafe-member-access: off, @typescript-eslint/no-unsafe-assignment: off, @typescript-eslint/no-unsafe-call: off, @typescript-eslint/no-unsafe-return: off, @typescript-eslint/no-unsafe-argument: off -- answers are read as loosely as they arrive */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTest } from './testing-driver.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeEach(async () => void (chat = await startTest()))
afterEach(() => chat.close())

const path = (name = 'general') => `${chat.channel(name)}/messages`
const send = (body: object, name = 'general') => chat.bot('POST', path(name), body)
const unknown = '00000000-0000-0000-0000-000000000001'

describe('posting', () => {
  it('takes 30 messages in any minute and says when the next one fits [spec: 8/messages, 7/429]', async () => {
    for (let i = 0; i < 30; i++) expect((await send({ content: `${i}` })).status).toBe(200)
    await chat.clock.advance(20_000)
    const refused = await send({ content: 'one more' })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('40')
    await chat.clock.advance(40_000)
    expect((await send({ content: 'one more' })).status).toBe(200)
  })

  it('refuses the same message twice within 10 seconds, without Retry-After [spec: 7/429]', async () => {
    await send({ content: 'same' })
    const refused = await send({ content: 'same' })
    expect(refused.status).toBe(429)
    expect(refused.headers.has('retry-after')).toBe(false)
    expect((await send({ content: 'other' })).status).toBe(200)
    expect((await send({ content: 'same' })).status).toBe(200)
    await chat.clock.advance(10_000)
    expect((await send({ content: 'same' })).status).toBe(200)
  })

  it('names the field of what is wrong [spec: 7/400, 8/message_content, 8/embeds_per_message, 8/embed_total]', async () => {
    const cases: [object, string][] = [
      [{}, 'content'],
      [{ content: 'x'.repeat(2001) }, 'content'],
      [{ content: 'x', reply_to: unknown }, 'reply_to'],
      [{ embeds: Array.from({ length: 6 }, () => ({ title: 'x' })) }, 'embeds'],
      [{ embeds: [{ description: 'x'.repeat(4096) }, { description: 'x'.repeat(4096) }] }, 'embeds'],
      [{ embeds: [{ image: { url: 'https://evil.example/a.png' } }] }, 'embeds[0].image.url'],
      [{ content: 'x', components: [{ type: 'row', components: [{ type: 'button', style: 'link' }] }] }, 'components'],
    ]
    for (const [body, field] of cases) {
      const refused = await send(body)
      expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(field)])
    }
  })

  it('cuts what is too long in an embed [spec: 8/embed_title, 8/embed_fields]', async () => {
    const fields = Array.from({ length: 11 }, (_, i) => ({ name: `${i}`, value: 'v' }))
    const { body } = await send({ embeds: [{ title: 'x'.repeat(300), fields, strange: 1 }] })
    expect(body.embeds[0].title).toHaveLength(256)
    expect(body.embeds[0].fields).toHaveLength(10)
    expect(body.embeds[0]).not.toHaveProperty('strange')
  })

  it('applies read-only and slowmode to bots as to people [spec: 8/channel_slowmode]', async () => {
    expect((await send({ content: 'x' }, 'news')).status).toBe(403)
    expect((await chat.person('bob', 'POST', path('news'), { content: 'x' })).status).toBe(200)
    expect((await chat.person('ann', 'PATCH', chat.channel('random'), { slowmode: 21_601 })).status).toBe(400)
    expect((await chat.person('ann', 'PATCH', chat.channel('random'), { slowmode: 30 })).status).toBe(200)
    expect((await send({ content: '1' }, 'random')).status).toBe(200)
    const refused = await send({ content: '2' }, 'random')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
    await chat.clock.advance(30_000)
    expect((await send({ content: '2' }, 'random')).status).toBe(200)
  })

  it('bans the bot and its owner at the third broken content rule within an hour [spec: 7/401]', async () => {
    expect((await send({ content: 'a slur-for-tests!' })).status).toBe(400)
    expect((await send({ embeds: [{ url: 'https://www.adult.example/x' }] })).status).toBe(400)
    expect((await send({ content: 'fine, no adult.example.org' })).status).toBe(200)
    expect((await send({ content: 'http://adult.example' })).status).toBe(400)
    expect((await send({ content: 'fine' })).status).toBe(401)
    expect((await chat.person('ann', 'GET', '/me')).status).toBe(403)
  })
})

describe('editing and deleting', () => {
  it('keeps what is left out, removes what is null, and marks only texts as edited [spec: 4/messages.update, 4/messages.get]', async () => {
    const row = { type: 'row', components: [{ type: 'button', style: 'danger', label: 'x', custom_id: 'x' }] }
    const { body } = await send({ content: 'a', embeds: [{ title: 't' }], components: [row] })
    const edit = (parts: object) => chat.bot('PATCH', `${path()}/${body.id}`, parts)
    expect((await edit({ components: null })).body).toMatchObject({ components: [], content: 'a', edited_at: null })
    expect((await edit({ content: 'b' })).body).toMatchObject({ content: 'b', embeds: [{ title: 't' }] })
    expect((await edit({ embeds: null })).body).toMatchObject({ embeds: [], edited_at: expect.any(String) })
    expect((await edit({ content: '' })).status).toBe(400)
    expect((await chat.bot('GET', `${path()}/${body.id}`)).body.content).toBe('b')
  })

  it('needs manage_messages for what others wrote [spec: 4/messages.delete, 4/messages.bulkDelete, 4/messages.pin, 7/403]', async () => {
    const theirs = (await chat.person('ann', 'POST', path(), { content: 'hers' })).body.id
    const mine = (await send({ content: 'mine' })).body.id
    expect((await chat.bot('PATCH', `${path()}/${theirs}`, { content: 'x' })).status).toBe(403)
    expect((await chat.bot('DELETE', `${path()}/${theirs}`)).status).toBe(403)
    expect((await chat.bot('PUT', `${path()}/${theirs}/pin`)).status).toBe(403)
    expect((await chat.bot('POST', `${path()}/bulk-delete`, { ids: [mine, theirs, unknown] })).body).toEqual({
      deleted: [mine],
      skipped: [theirs, unknown],
    })
    expect((await chat.person('bob', 'PUT', `${path()}/${theirs}/pin`)).body).toEqual({ ok: true })
    expect((await chat.person('bob', 'DELETE', `${path()}/${theirs}`)).body).toEqual({ ok: true })
    expect((await chat.bot('GET', `${path()}/${theirs}`)).status).toBe(404)
  })

  it('pages by time without loss [spec: 4/messages.list, 8/messages_page]', async () => {
    for (let i = 0; i < 5; i++) await send({ content: `${i}` })
    const all = (await chat.bot('GET', path())).body
    expect(all.authors).toMatchObject([{ username: 'pollster', bot: true }])
    const at = all.messages[2].created_at
    const texts = (body: { messages: { content: string }[] }) => body.messages.map((each) => each.content)
    expect(texts((await chat.bot('GET', `${path()}?before=${at}&limit=1`)).body)).toEqual(['1'])
    expect(texts((await chat.bot('GET', `${path()}?after=${at}&limit=1`)).body)).toEqual(['3'])
    expect((await chat.bot('GET', `${path()}?limit=101`)).body.error).toContain('limit')
    expect((await chat.bot('GET', `${path()}?before=yesterday`)).body.error).toContain('before')
  })
})

describe('clicks', () => {
  it('fail after 3 seconds, close after 15 minutes [spec: 8/interaction, 7/404]', async () => {
    const { answer, state, messageId } = await chat.clicked()
    await chat.clock.advance(3000)
    expect((await state()).body.state).toBe('failed')
    expect((await answer({ type: 'update', content: 'late' })).body.message).toMatchObject({ id: messageId })
    expect((await state()).body.state).toBe('answered')
    await chat.clock.advance(15 * 60_000)
    const refused = await answer({ type: 'ack' })
    expect([refused.status, refused.body.error]).toEqual([404, expect.stringContaining('expired')])
  })

  it('take 10 answers, and none with a wrong token [spec: 8/interaction, 4/interactions.callback]', async () => {
    const { answer, data, state } = await chat.clicked()
    expect((await answer({ type: 'ephemeral', content: 'x', components: [] })).status).toBe(400)
    for (let i = 0; i < 10; i++) expect((await answer({ type: 'ephemeral', content: `${i}` })).status).toBe(200)
    const refused = await answer({ type: 'ack' })
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, false])
    expect((await state()).body.answers[9]).toMatchObject({ type: 'ephemeral', ephemeral: { content: '9' } })
    const wrong = await chat.call('POST', `/v1/interactions/${data.id}/wrong/callback`, { body: { type: 'ack' } })
    expect(wrong.status).toBe(404)
  })

  it('are 5 in 10 seconds, and need a button that works [spec: 8/button_clicks]', async () => {
    const { messageId, made } = await chat.clicked()
    expect(made.status).toBe(200)
    const click = (custom_id: string) => chat.person('ann', 'POST', `${path()}/${messageId}/clicks`, { custom_id })
    expect((await click('no')).status).toBe(400)
    for (let i = 0; i < 4; i++) expect((await click('yes')).status).toBe(200)
    expect((await click('yes')).status).toBe(429)
    await chat.clock.advance(10_000)
    expect((await click('yes')).status).toBe(200)
  })
})

describe('reactions and direct messages', () => {
  it('tells the bot of the reactions of others only [spec: 6/reaction_add, 6/reaction_remove, 4/reactions.add]', async () => {
    const { id } = (await send({ content: 'x' })).body
    const emoji = encodeURIComponent('👍')
    const reaction = `${path()}/${id}/reactions/${emoji}`
    await chat.bot('PUT', reaction)
    await chat.person('bob', 'PUT', reaction)
    await chat.person('bob', 'PUT', reaction)
    const list = (await chat.bot('GET', `${path()}/${id}/reactions`)).body.reactions
    expect(list).toEqual([{ emoji: '👍', count: 2, me: true, user_ids: [chat.botId, chat.userId('bob')] }])
    await chat.person('bob', 'DELETE', reaction)
    const events = await chat.events()
    expect(events.map((each) => each.type)).toEqual(['reaction_add', 'reaction_remove'])
    expect(events[0]!.data).toMatchObject({ username: 'bob', message_author_id: chat.botId })
    expect((await chat.bot('PUT', `${path()}/${id}/reactions/x`)).status).toBe(400)
  })

  it('opens a DM once, unless the person takes none [spec: 4/users.dm, 4/users.get]', async () => {
    const dm = (name: string) => chat.bot('POST', `/users/${chat.userId(name)}/dm`)
    const { channel_id } = (await dm('bob')).body
    expect((await dm('bob')).body.channel_id).toBe(channel_id)
    await chat.person('carol', 'PATCH', '/me', { accepts_dms: false })
    expect((await dm('carol')).status).toBe(403)
    await chat.person('bob', 'POST', `/channels/${channel_id}/messages`, { content: 'psst' })
    expect((await chat.events())[0]!.data).toMatchObject({ content: 'psst', server_id: null, channel_name: null })
    expect((await chat.person('ann', 'GET', `/channels/${channel_id}/messages`)).status).toBe(404)
  })
})
