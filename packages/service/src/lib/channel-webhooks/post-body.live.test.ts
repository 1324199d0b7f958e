/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers are read as loosely as they arrive */
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

const pathOf = (address: string) => address.slice(chat.service.url.length)
/** Posts and returns the message. */
const posted = async (body: object) => {
  const answer = await chat.post(url, body, '?wait=true')
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  await chat.clock.advance(2000)
  return answer.body
}

describe("the body as Discord's clients send it", () => {
  it('converts numbers in embed fields to text, for log transports', async () => {
    const message = await posted({ embeds: [{ title: 'ERROR', fields: [{ name: 'pid', value: 4711 }] }] })
    expect(message.embeds).toEqual([{ title: 'ERROR', fields: [{ name: 'pid', value: '4711' }] }])
    const refused = await chat.post(url, { embeds: [{ fields: [{ name: 'ok', value: true }] }] })
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: 'embeds[0].fields[0].value: must be a string or a number', code: 50035 },
    ])
  })

  it('lists ignored fields in the response with wait=true', async () => {
    const message = await posted({
      content: 'x',
      components: [{ type: 1, components: [] }],
      poll: { question: { text: 'Tea?' } },
      tts: true,
      embeds: [{ title: 't', video: { url: 'https://cdn.example.com/v.mp4' } }],
    })
    expect(message.ignored_fields).toEqual(['components', 'poll', 'tts', 'embeds[0].video'])
    expect(await posted({ content: 'y', tts: false, flags: 0, nonce: null, components: [] })).not.toHaveProperty(
      'ignored_fields',
    )
  })

  it('ignores unknown fields, and treats null as omitted', async () => {
    const message = await posted({
      content: 'x',
      username: null,
      avatar_url: null,
      tts: false,
      nonce: null,
      flags: 0,
      components: [],
      attachments: [],
      thread_name: null,
      poll: null,
      allowed_mentions: null,
      embeds: [
        {
          type: 'rich',
          title: 't',
          url: null,
          color: null,
          fields: [{ name: 'n', value: 'v', inline: null }],
          footer: null,
        },
      ],
    })
    expect(message).toMatchObject({
      author: 'Build',
      components: [],
      embeds: [{ title: 't', fields: [{ name: 'n', value: 'v' }] }],
    })
  })

  const form = async (parts: Record<string, string | Blob>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts)) body.append(name, value)
    const answer = await fetch(`${url}?wait=true`, { method: 'POST', body })
    // oxlint-disable-next-line typescript/no-explicit-any -- answers are read as loosely as they arrive
    return { status: answer.status, body: (await answer.json()) as any }
  }

  it('accepts forms with payload_json or plain fields', async () => {
    const embeds = [{ title: 't' }]
    expect(await form({ payload_json: JSON.stringify({ content: 'wrapped', embeds }) })).toMatchObject({
      status: 200,
      body: { content: 'wrapped', embeds },
    })
    expect(await form({ content: 'plain', username: 'Form', tts: 'false' })).toMatchObject({
      status: 200,
      body: { content: 'plain', author: 'Form' },
    })
  })

  it('reads the line breaks of a form as those of JSON', async () => {
    expect((await form({ content: 'one\ntwo\r\nthree' })).body.content).toBe('one\ntwo\nthree')
  })

  it('refuses files, by field name, instead of dropping them', async () => {
    const file = new Blob(['x'], { type: 'image/png' })
    expect(await form({ payload_json: '{"content":"x"}', 'files[0]': file })).toEqual({
      status: 400,
      body: { code: 50035, message: 'files[0]: channel webhooks do not accept files; link the image in an embed' },
    })
    expect(await form({ payload_json: '{"content":' })).toEqual({
      status: 400,
      body: { code: 50035, message: 'payload_json: is not JSON' },
    })
    const broken = await chat.call('POST', pathOf(url), {
      raw: '--a\r\nnonsense',
      headers: { 'content-type': 'multipart/form-data; boundary=a' },
    })
    expect([broken.status, broken.body.code]).toEqual([400, 50035])
  })

  it('accepts a version prefix before the path', async () => {
    const address = `${chat.service.url}/api/v10${pathOf(url)}`
    expect((await chat.post(address, { content: 'x' })).status).toBe(204)
    expect((await chat.get(address)).body.id).toBe(id)
    expect((await chat.get(`${address}x`)).body.code).toBe(50027)
  })
})
