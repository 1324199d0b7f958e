/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call, typescript/no-unsafe-return -- answers are read as loosely as they arrive */
import { limits, Message } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWebhooks, type Webhooks } from './rig.test.fixture.ts'

let chat: Webhooks
let url: string
let id: string
beforeEach(async () => {
  chat = await startWebhooks()
  const made = await chat.make('Build')
  url = made.url
  id = made.webhook.id
})
afterEach(() => chat.close())

const x = (count: number, part = 'x') => part.repeat(count)
/** Posts and returns the message. */
const posted = async (body: object) => {
  const answer = await chat.post(url, body, '?wait=true')
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  await chat.clock.advance(2000)
  return answer.body
}

describe('posting', () => {
  it('returns 204 without a body, or 200 with the message if wait is set [spec: 4/channelWebhooks.execute]', async () => {
    for (const query of ['', '?wait=false', '?wait=0', '?thread_id=5']) {
      const { status, body, headers } = await chat.post(url, { content: `quiet ${query}` }, query)
      expect([status, body, headers.get('content-type')]).toEqual([204, '', null])
    }
    await chat.clock.advance(2000)
    for (const query of ['?wait=true', '?wait=1', '?wait=True']) {
      const { status, body } = await chat.post(url, { content: 'hello' }, query)
      expect(status).toBe(200)
      expect(Message.safeParse(body).error).toBeUndefined()
      expect(body).toEqual({
        id: expect.any(String),
        channel_id: chat.workshop.channels['general'],
        channel_name: 'general',
        server_id: chat.workshop.id,
        author_id: id,
        author: 'Build',
        author_bot: true,
        content: 'hello',
        attachment: null,
        reply_to_id: null,
        created_at: expect.any(String),
        mentioned: false,
        embeds: [],
        components: [],
        pinned: false,
        edited_at: null,
        reactions: [],
      })
    }
    const refused = await chat.post(url, { content: 'x' }, '?wait=perhaps')
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      400,
      50035,
      expect.stringMatching(/^wait/),
    ])
  })

  it('returns the webhook, never its token [spec: 4/channelWebhooks.get]', async () => {
    expect(await chat.get(url)).toMatchObject({
      status: 200,
      body: {
        id,
        name: 'Build',
        avatar_url: null,
        channel_id: chat.workshop.channels['general'],
        server_id: chat.workshop.id,
      },
    })
    expect(JSON.stringify((await chat.get(url)).body)).not.toContain(url.split('/').at(-1))
  })

  it('reaches bots as a message of a bot author [spec: 6/message]', async () => {
    await chat.bot('PUT', '/commands', { commands: [{ name: 'roll', description: '' }] })
    await posted({ content: `!roll 2d6 for <@${chat.botId}>`, username: 'Dice' })
    const [event] = await chat.events()
    expect(event).toMatchObject({
      type: 'message',
      data: { author: 'Dice', author_bot: true, mentioned: true, command: 'roll', args: `2d6 for <@${chat.botId}>` },
    })
  })

  it('accepts a name and picture per post, each with its own author [spec: 8/channel_webhook_username]', async () => {
    const avatar_url = 'https://i.imgur.com/a.png'
    const first = await posted({ content: '1' })
    const ann = await posted({ content: '2', username: 'ann' })
    const drawn = await posted({ content: '3', username: 'ann', avatar_url })
    const again = await posted({ content: '4', username: 'ann', avatar_url })
    const own = await posted({ content: '5', username: 'Build' })
    expect([first, ann, drawn, again, own].map(({ author }) => author)).toEqual(['Build', 'ann', 'ann', 'ann', 'Build'])
    expect([first.author_id, own.author_id]).toEqual([id, id])
    expect(drawn.author_id).toBe(again.author_id)
    expect(new Set([id, ann.author_id, drawn.author_id, chat.userId('ann')]).size).toBe(4)
    const { authors } = await chat.shown()
    expect(authors).toEqual([
      { id, username: 'Build', display_name: null, avatar_url: null, bot: true },
      { id: ann.author_id, username: 'ann', display_name: null, avatar_url: null, bot: true },
      { id: drawn.author_id, username: 'ann', display_name: null, avatar_url, bot: true },
    ])
    for (const count of [1, 79, 80])
      expect((await posted({ content: 'x', username: x(count, '👍') })).author).toHaveLength(2 * count)
    for (const username of [x(81), '', ' ']) {
      const refused = await chat.post(url, { content: 'x', username })
      expect([refused.status, refused.body]).toEqual([
        400,
        { code: 50035, message: expect.stringMatching(/^username: /) },
      ])
    }
  })

  it('authors are not accounts: no profile, direct messages, sign-in or membership', async () => {
    const { author_id } = await posted({ content: 'x', username: 'ghost' })
    expect((await chat.bot('GET', `/users/${author_id}`)).status).toBe(404)
    expect((await chat.bot('POST', `/users/${author_id}/dm`)).status).toBe(404)
    expect((await chat.bot('GET', `${chat.server}/members/${author_id}`)).status).toBe(404)
    expect((await chat.call('POST', '/people/v1/sessions', { body: { username: 'ghost' } })).status).toBe(200)
    expect(
      (await chat.call('POST', '/people/v1/sessions', { body: { username: `webhook:${author_id}` } })).status,
    ).toBe(400)
  })

  it('counts characters as code points [spec: 8/message_content]', async () => {
    for (const count of [1999, 2000])
      expect((await posted({ content: x(count, '👍') })).content).toHaveLength(2 * count)
    const refused = await chat.post(url, { content: x(2001) })
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: 'content: must be at most 2000 characters', code: 50035 },
    ])
  })

  it('accepts 10 embeds with 25 fields each and drops further fields [spec: 8/embeds_per_message, 8/embed_fields, decisions/44]', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `${i}`, value: 'v' }))
    const embeds = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ title: `${i}`, fields: fields(24 + (i % 3)) }))
    for (const count of [9, 10]) {
      const message = await posted({ embeds: embeds(count) })
      expect(message.embeds.map((each: { fields: [] }) => each.fields.length)).toEqual(
        Array.from({ length: count }, (_, i) => Math.min(24 + (i % 3), limits.embed_fields.channel_webhook)),
      )
    }
    const refused = await chat.post(url, { embeds: embeds(11) })
    expect([refused.status, refused.body]).toEqual([400, { message: 'embeds: must be at most 10 embeds', code: 50035 }])
  })

  it('cuts long embed texts, and refuses 6001 characters in total [spec: 8/embed_total, 8/embed_title, 8/embed_description]', async () => {
    const cutOff = await posted({ embeds: [{ title: x(300), description: x(5000) }] })
    expect([cutOff.embeds[0].title.length, cutOff.embeds[0].description.length]).toEqual([256, 4096])
    const parts = (last: number) => ({ embeds: [{ description: x(4000) }, { description: x(last) }] })
    for (const last of [1999, 2000]) await posted(parts(last))
    const refused = await chat.post(url, parts(2001))
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      400,
      50035,
      expect.stringContaining('6000 characters'),
    ])
  })

  it('omits pictures from other hosts instead of failing', async () => {
    const icon_url = 'https://evil.example/i.png'
    const good = { url: 'https://i.imgur.com/a.png' }
    const own = { url: `${chat.service.url}/uploads/a.png` }
    const message = await posted({
      content: 'x',
      avatar_url: icon_url,
      embeds: [
        {
          title: 'a',
          image: { url: icon_url },
          thumbnail: good,
          author: { name: 'n', icon_url },
          footer: { text: 't', icon_url },
        },
        { title: 'b', image: own, thumbnail: { url: 'attachment://a.png' }, author: { name: 'n', icon_url: good.url } },
        { title: 'c', image: { url: 'http://i.imgur.com/a.png' }, thumbnail: { url: 'not a link' } },
      ],
    })
    expect(message.embeds).toEqual([
      { title: 'a', thumbnail: good, author: { name: 'n' }, footer: { text: 't' } },
      { title: 'b', image: own, author: { name: 'n', icon_url: good.url } },
      { title: 'c' },
    ])
    expect((await chat.shown()).authors[0].avatar_url).toBeNull()
  })

  it('ignores slowmode and read-only channels, and allows duplicates', async () => {
    await chat.person('ann', 'PATCH', chat.channel('news'), { slowmode: 30 })
    const news = await chat.make('News', 'ann', 'news')
    for (let i = 0; i < 3; i++) expect((await chat.post(news.url, { content: 'same' })).status).toBe(204)
  })
})

describe('rates', () => {
  const say = (address = url) => chat.post(address, { content: 'x' })

  it('allows 5 posts in 2 seconds per webhook [spec: 8/channel_webhook_posts, 7/429]', async () => {
    const other = (await chat.make('other')).url
    for (let i = 0; i < 4; i++) expect((await say()).status).toBe(204)
    await chat.clock.advance(500)
    expect((await say()).status).toBe(204)
    const refused = await say()
    expect([refused.status, refused.body, refused.headers.get('retry-after')]).toEqual([
      429,
      { message: 'at most 5 in 2 s', code: 0, retry_after: 1.5, global: false },
      '2',
    ])
    expect((await say(other)).status).toBe(204)
    await chat.clock.advance(1499)
    expect((await say()).body.retry_after).toBe(0.001)
    await chat.clock.advance(1)
    for (let i = 0; i < 4; i++) expect((await say()).status).toBe(204)
    expect((await say()).body.retry_after).toBe(0.5)
  })

  it('allows 30 posts a minute per channel, across webhooks [spec: 8/channel_webhook_posts_per_channel]', async () => {
    const other = (await chat.make('other')).url
    const elsewhere = (await chat.make('elsewhere', 'dora', 'random')).url
    for (let i = 0; i < 30; i++) {
      expect((await say(i % 2 ? url : other)).status).toBe(204)
      if (i % 8 === 7) await chat.clock.advance(2000)
    }
    await chat.clock.advance(2000)
    for (const address of [url, other]) {
      const refused = await say(address)
      expect([refused.status, refused.body.retry_after, refused.headers.get('retry-after')]).toEqual([429, 52, '52'])
    }
    expect((await say(elsewhere)).status).toBe(204)
    await chat.clock.advance(51_999)
    expect((await say()).status).toBe(429)
    await chat.clock.advance(1)
    expect((await say()).status).toBe(204)
  })

  it('applies to concurrent posts, and does not count refused ones', async () => {
    for (let i = 0; i < 9; i++) expect((await chat.post(url, {})).status).toBe(400)
    const all = await Promise.all(Array.from({ length: 20 }, () => say()))
    expect(all.filter(({ status }) => status === 204)).toHaveLength(5)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(15)
    expect((await chat.shown()).messages).toHaveLength(5)
  })
})
