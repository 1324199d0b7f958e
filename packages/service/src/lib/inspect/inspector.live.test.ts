import { describe, expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { openPage } from '../test-tools/stream-page.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

type Chat = Awaited<ReturnType<typeof startTest>>
interface Journal {
  calls: {
    method: string
    path: string
    sent: string | null
    answer: string | null
    status: number
    warnings: string[]
  }[]
  events: { id: number; type: string; data: string }[]
  bots: string[]
  usage: { messages: { of: number; used_until: string[] }; interactions: { answers: number; of: number }[] }
}
const journalOf = async (chat: Chat, name = 'ann') =>
  (await chat.person(name, 'GET', `/bots/${chat.botId}/journal`)).body as Journal

describe('the inspector of a bot', () => {
  it('shows events and calls only to the owner, without tokens', async () => {
    await using chat = await startTest()
    const click = await chat.clicked()
    await click.answer({ type: 'ack' })
    await chat.bot('GET', '/nowhere?token=token-of-pollster')
    const journal = await journalOf(chat)
    expect(journal.events.map(({ type }) => type)).toContain('interaction')
    expect(journal.calls.map(({ method, status }) => `${method} ${status}`)).toEqual([
      'POST 200',
      'POST 200',
      'GET 404',
    ])
    const text = JSON.stringify(journal)
    for (const secret of ['token-of-pollster', (click.data as { token: string }).token])
      expect(text).not.toContain(secret)
    expect((await chat.person('bob', 'GET', `/bots/${chat.botId}/journal`)).status).toBe(404)
  })

  it('counts the messages of the last minute and the answers of a click [spec: 8/messages, 8/interaction]', async () => {
    await using chat = await startTest()
    const click = await chat.clicked()
    await click.answer({ type: 'ack' })
    await click.answer({ type: 'ack' })
    const { usage } = await journalOf(chat)
    expect(usage.messages).toEqual({ of: 30, used_until: ['2026-01-01T00:01:00.000Z'] })
    expect(usage.interactions).toMatchObject([{ answers: 2, of: 10 }])
    await chat.clock.advance(15 * 60_000)
    expect((await journalOf(chat)).usage).toMatchObject({ messages: { used_until: [] }, interactions: [] })
  })

  it('warns about a late first answer, and about cut texts [spec: 8/interaction, decisions/25]', async () => {
    await using chat = await startTest()
    const click = await chat.clicked()
    await chat.clock.advance(4_000)
    const fields = [{ name: 'pid', value: 4711 }]
    const answered = await click.answer({
      type: 'reply',
      content: 'late',
      embeds: [{ title: 'x'.repeat(257), colour: 1, fields }],
    })
    expect(answered.status).toBe(200)
    await click.answer({ type: 'ack' })
    const warnings = (await journalOf(chat)).calls.map((call) => call.warnings)
    expect(warnings).toEqual([
      [],
      [
        'The first answer came 4.0 s after the click. The clicker saw "This interaction failed" after 3 s. Send an ack first.',
        'embeds[0].title has 257 characters and was cut to 256.',
        'embeds[0].fields[0].value is a number. It is shown as text here; the real service may reject it.',
        'embeds[0]: unknown keys are ignored: colour.',
      ],
      [],
    ])
  })

  it('warns about a late first answer whose click is named in upper case [spec: decisions/52]', async () => {
    await using chat = await startTest()
    const { id, token } = (await chat.clicked()).data as { id: string; token: string }
    await chat.clock.advance(4_000)
    const path = `/v1/interactions/${id.toUpperCase()}/${token}/callback`
    expect((await chat.call('POST', path, { body: { type: 'ack' } })).status).toBe(200)
    expect((await journalOf(chat)).calls.at(-1)).toMatchObject({
      warnings: [expect.stringContaining('4.0 s after the click')],
    })
  })

  it('shows calls whose path or query is invalid, and the responses of fault switches', async () => {
    await using chat = await startTest({ controls: true })
    await chat.bot('GET', '/channels/general/messages')
    await chat.bot('GET', `${chat.channel('general')}/messages?limit=1000`)
    await chat.bot('GET', '/me', undefined, 'another-token')
    for (const then of [{ status: 503, body: { error: 'later' } }, { status: 502, body: '<html>' }, { status: 204 }]) {
      await chat.call('POST', '/controls/v1/faults', { body: { path: '/v1/me', then } })
      await chat.bot('GET', '/me')
    }
    expect((await journalOf(chat)).calls).toMatchObject([
      { path: '/v1/channels/general/messages', status: 400, answer: '{"error":"channel_id: must be a UUID"}' },
      { status: 400, answer: '{"error":"limit: must be at most 100"}' },
      { path: '/v1/me', status: 503, answer: '{"error":"later"}' },
      { status: 502, answer: '"<html>"' },
      { status: 204, answer: null },
    ])
  })

  it("updates the owner's pages after the journal is loaded, polls included", async () => {
    await using chat = await startTest()
    const page = await openPage(chat, 'ann')
    await chat.bot('GET', '/servers')
    await journalOf(chat)
    await chat.bot('GET', '/events?after=0')
    const received = await page.until('bot_call')
    expect(received.data).toMatchObject({
      bot_id: chat.botId,
      call: { method: 'GET', path: '/v1/events?after=0', status: 200 },
    })
    await chat.person('bob', 'POST', `${chat.channel('general')}/messages`, { content: 'hello' })
    expect((await page.until('bot_event')).data).toMatchObject({ bot_id: chat.botId, event: { type: 'message' } })
    page.close()
  })

  it('names the bots among the users of its events, also after they are gone', async () => {
    await using chat = await startTest()
    const made = await chat.person('ann', 'POST', '/bots', { username: 'helper' })
    const helper = (made.body as { bot: { id: string } }).bot.id
    await chat.person('bob', 'POST', `${chat.channel('general')}/messages`, { content: 'hello' })
    expect((await chat.person('ann', 'PUT', `${chat.server}/bots/${helper}`)).status).toBe(200)
    await chat.person('carol', 'DELETE', `${chat.server}/members/me`)
    expect((await journalOf(chat)).bots).toEqual([helper])
    expect((await chat.person('ann', 'DELETE', `/bots/${helper}`)).status).toBe(200)
    const { events, bots } = await journalOf(chat)
    expect(events.map(({ type }) => type)).toEqual(['message', 'member_join', 'member_leave', 'member_leave'])
    expect(bots).toEqual([helper])
  })

  it('keeps the last 100 calls, texts of up to 4 KiB, and no polls', slow, async () => {
    await using chat = await startTest()
    for (let n = 0; n < 105; n++) await chat.bot('GET', `/nowhere/${n}`)
    await chat.bot('GET', '/events?after=0')
    await chat.bot('POST', `${chat.channel('general')}/messages`, { content: 'x', junk: 'y'.repeat(9000) })
    const { calls } = await journalOf(chat)
    expect([calls.length, calls[0]?.path]).toEqual([100, '/v1/nowhere/6'])
    expect(calls.at(-1)?.sent?.length).toBe(4097)
  })
})
