import { connect } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { imageTypes, limits } from '@botwright/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService } from '../start/start-service.ts'
import { startTest } from '../test-tools/driver.test.fixture.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => void (chat = await startTest({ controls: true })))
afterAll(() => chat.close())

const base64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))
const png = base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')
const gif = base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
/** The start of a JPEG up to its frame, which contains the size. */
const jpegOf = (width: number, height: number) =>
  new Uint8Array([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
    ...[0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 17, 0, 0xff, 0xd9],
  ])
const jpeg = jpegOf(1, 1)
const webp = base64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA')
const pictures = { 'image/png': png, 'image/jpeg': jpeg, 'image/gif': gif, 'image/webp': webp }

/** Copies of the pictures above with another size in the header. */
const changed = (picture: Uint8Array<ArrayBuffer>, change: (view: DataView) => void) => {
  const copy = picture.slice()
  change(new DataView(copy.buffer))
  return copy
}
const sizedPng = (width: number, height: number) =>
  changed(png, (view) => {
    view.setUint32(16, width)
    view.setUint32(20, height)
  })
const sizedGif = (width: number, height: number) =>
  changed(gif, (view) => {
    view.setUint16(6, width, true)
    view.setUint16(8, height, true)
  })
const sizedWebp = (width: number, height: number) =>
  changed(webp, (view) => {
    view.setUint16(26, width, true)
    view.setUint16(28, height, true)
  })

/** A PNG of exactly this many bytes: viewers ignore data after the picture. */
const pngOf = (bytes: number) => {
  const made = new Uint8Array(bytes)
  made.set(png)
  return made
}

type Body = NonNullable<RequestInit['body']>

interface Answer {
  ok?: true
  error?: string
  avatar_url?: string
  banner_url?: string
  attachment?: string | null
  content?: string
  id?: string
}

async function send(
  method: string,
  path: string,
  body: Body,
  { type, auth = 'Bot token-of-pollster' }: { type?: string; auth?: string } = {},
) {
  const headers = { authorization: auth, ...(type !== undefined && { 'content-type': type }) }
  const answer = await fetch(chat.service.url + path, { method, headers, body, duplex: 'half' })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer }
}
const put = (path: string, bytes: Uint8Array<ArrayBuffer>, type = 'image/png') =>
  send('PUT', `/v1${path}`, bytes, { type })

const form = (parts: Record<string, string | Uint8Array<ArrayBuffer>>) => {
  const made = new FormData()
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') made.append(name, value)
    else made.append(name, new Blob([value], { type: 'image/png' }), 'picture.png')
  }
  return made
}

const profile = async () =>
  (await chat.bot('GET', '/me')).body as { avatar_url: string | null; banner_url: string | null }

describe('avatar and banner', () => {
  it.each(imageTypes)(
    'accept %s as bytes, and serve it under its own URL [spec: 4/me.setAvatar, decisions/2]',
    async (type) => {
      const { status, body } = await put('/me/avatar', pictures[type], type)
      expect([status, body]).toEqual([
        200,
        { ok: true, avatar_url: expect.stringMatching(/^http:.*\/uploads\/.*\.\w+$/) },
      ])
      expect((await profile()).avatar_url).toBe(body.avatar_url)
      const shown = await fetch(body.avatar_url!)
      expect(shown.headers.get('content-type')).toBe(type)
      expect(shown.headers.get('x-content-type-options')).toBe('nosniff')
      expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(shown.headers.get('cache-control')).toContain('immutable')
      expect(new Uint8Array(await shown.arrayBuffer())).toEqual(pictures[type])
    },
  )

  it('accept a form with the picture in the field `file` [spec: 4/me.setBanner, decisions/2]', async () => {
    const { status, body } = await send('PUT', '/v1/me/banner', form({ file: png }))
    expect([status, body]).toEqual([200, { ok: true, banner_url: expect.any(String) }])
    expect((await fetch(body.banner_url!)).status).toBe(200)
  })

  it('detect the type from the content, whatever the declared type', async () => {
    const { body } = await put('/me/avatar', gif, 'image/png')
    expect((await fetch(body.avatar_url!)).headers.get('content-type')).toBe('image/gif')
    const html = new TextEncoder().encode('<html><script>alert(1)</script></html>')
    const refused = await put('/me/avatar', html)
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('file: must be an image (PNG')])
    const svg = await put('/me/avatar', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'))
    expect(svg.status).toBe(400)
    const pdf = await send('PUT', '/v1/me/avatar', form({ file: new TextEncoder().encode('%PDF-1.7 x') }))
    expect([pdf.status, pdf.body.error]).toEqual([400, expect.stringContaining('application/pdf')])
    expect((await profile()).avatar_url).toBe(body.avatar_url)
  })

  it.each([
    ['PNG', sizedPng],
    ['JPEG', jpegOf],
    ['GIF', sizedGif],
    ['WebP', sizedWebp],
  ])('accept a %s of 8192 pixels per side and 40 megapixels, and refuse larger ones', async (_, sized) => {
    const refusal = async (width: number, height: number) => (await put('/me/avatar', sized(width, height))).body.error
    const taken = [
      [8192, 4882],
      [4882, 8192],
    ] as const
    for (const [width, height] of taken) expect(await refusal(width, height)).toBeUndefined()
    for (const [width, height] of [
      [8193, 1],
      [1, 8193],
      [8192, 4883],
    ] as const) {
      expect(await refusal(width, height)).toBe(
        `file: is ${width} × ${height} pixels; the maximum is 8192 × 8192 and 40 megapixels`,
      )
    }
  })

  it('read the size of a JPEG like a decoder: padding before its frame does not hide it', async () => {
    const huge = jpegOf(60_000, 60_000)
    // APP0, one byte of padding, the frame, and a small decoy frame for readers that mistake the padding for a marker.
    const padded = new Uint8Array(60_000)
    padded.set(huge.subarray(0, 20))
    padded[20] = 0xff
    padded.set(huge.subarray(20), 21)
    padded.set([0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1], 22 + 0xc000)
    expect((await put('/me/avatar', padded)).body.error).toContain('is 60000 × 60000 pixels')
  })

  it('refuse a picture with an invalid header, and store nothing', async () => {
    const before = await profile()
    const broken = [
      png.subarray(0, 20),
      sizedPng(0, 5),
      jpeg.subarray(0, 22),
      jpegOf(5, 0),
      sizedGif(0, 0),
      gif.subarray(0, 8),
      webp.subarray(0, 24),
    ]
    for (const bytes of broken) {
      const { status, body } = await put('/me/avatar', new Uint8Array(bytes))
      expect([status, body.error]).toEqual([
        400,
        expect.stringMatching(/^file: (the header .* invalid|must be a pict)/),
      ])
    }
    expect(await profile()).toEqual(before)
  })

  it('refuse invalid uploads, with the reason', async () => {
    const refusal = async (body: Body, type?: string) => {
      const answer = await send('PUT', '/v1/me/avatar', body, type === undefined ? {} : { type })
      return [answer.status, answer.body.error]
    }
    expect(await refusal('{}', 'application/json')).toEqual([400, expect.stringContaining('Content-Type')])
    expect(await refusal(new Uint8Array(), 'image/png')).toEqual([400, expect.stringContaining('empty')])
    expect(await refusal(form({ picture: png }))).toEqual([400, expect.stringContaining('file: is required')])
    expect(await refusal(form({ file: 'text' }))).toEqual([400, expect.stringContaining('file: must be a file')])
    const two = form({ file: png })
    two.append('file', new Blob([png]), 'second.png')
    expect(await refusal(two)).toEqual([400, 'file: must be one file'])
    expect(await refusal('no parts', 'multipart/form-data; boundary=x')).toEqual([
      400,
      expect.stringContaining('not a valid form'),
    ])
    expect(await refusal('x', 'multipart/form-data')).toEqual([400, expect.stringContaining('not a valid form')])
  })

  it.each([
    ['avatar', limits.avatar.bytes],
    ['banner', limits.banner.bytes],
  ] as const)('%s: accept the exact limit and refuse one more byte [spec: 8/avatar, 8/banner]', async (name, max) => {
    for (const bytes of [max - 1, max]) {
      expect((await put(`/me/${name}`, pngOf(bytes))).status).toBe(200)
      expect((await send('PUT', `/v1/me/${name}`, form({ file: pngOf(bytes) }))).status).toBe(200)
    }
    const refused = await put(`/me/${name}`, pngOf(max + 1))
    expect([refused.status, refused.body.error]).toEqual([413, `file: is larger than ${max} bytes`])
    expect((await send('PUT', `/v1/me/${name}`, form({ file: pngOf(max + 1) }))).status).toBe(413)
  })

  it('refuse an endless body while it is being sent', async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(pngOf(1024 * 1024))
        sent++
      },
    })
    const { status } = await send('PUT', '/v1/me/avatar', endless, { type: 'image/png' })
    expect(status).toBe(413)
    expect(sent).toBeLessThan(100)
  })

  it('refuse by Content-Length, before the body is sent', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(chat.service.port, '127.0.0.1', () =>
        socket.write(
          'PUT /v1/me/avatar HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bot token-of-pollster\r\n' +
            'content-type: image/png\r\ncontent-length: 99999999\r\n\r\n',
        ),
      )
      socket.once('data', (data) => {
        resolve(data.toString())
        socket.destroy()
      })
      socket.once('error', reject)
    })
    expect(answer).toContain('413')
  })

  it('are deleted together with their URLs [spec: 4/me.removeAvatar, 4/me.removeBanner]', async () => {
    const before = await put('/me/avatar', png)
    const after = await put('/me/avatar', gif, 'image/gif')
    expect((await fetch(before.body.avatar_url!)).status).toBe(404)
    for (const name of ['avatar', 'banner'] as const) {
      expect((await chat.bot('DELETE', `/me/${name}`)).body).toEqual({ ok: true })
      expect((await profile())[`${name}_url`]).toBeNull()
      expect((await chat.bot('DELETE', `/me/${name}`)).body).toEqual({ ok: true })
    }
    expect((await fetch(after.body.avatar_url!)).status).toBe(404)
  })

  it('keep the current picture if the next one is refused, and check the token first', async () => {
    const { body } = await put('/me/avatar', png)
    expect((await put('/me/avatar', pngOf(limits.avatar.bytes + 1))).status).toBe(413)
    expect((await profile()).avatar_url).toBe(body.avatar_url)
    const stranger = await send('PUT', '/v1/me/avatar', pngOf(limits.avatar.bytes + 1), { auth: 'Bot wrong' })
    expect(stranger.status).toBe(401)
  })

  it('appear in the journal with type and size', async () => {
    await put('/me/avatar', png)
    const { calls } = (await chat.call('GET', '/controls/v1/journal')).body as { calls: { body?: unknown }[] }
    const file = `image/png, ${png.byteLength} bytes`
    expect(calls.at(-1)).toMatchObject({ path: '/v1/me/avatar', status: 200, body: { file } })
  })
})

describe('URLs of uploads', () => {
  it('support only GET and HEAD, and ETags', async () => {
    const url = (await put('/me/avatar', png)).body.avatar_url!
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/png'])
    const again = await fetch(url, { headers: { 'if-none-match': head.headers.get('etag')! } })
    expect(again.status).toBe(304)
    const posted = await fetch(url, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await fetch(`${chat.service.url}/uploads/none.png`)).status).toBe(404)
  })

  it('may have their id in upper case [spec: decisions/52]', async () => {
    const url = (await put('/me/avatar', png)).body.avatar_url!
    const upper = await fetch(url.replace(/[^/]+(?=\.png$)/, (id) => id.toUpperCase()))
    expect([upper.status, upper.headers.get('etag')]).toEqual([200, (await fetch(url)).headers.get('etag')])
  })

  it('can be used in embeds', async () => {
    const url = (await put('/me/avatar', png)).body.avatar_url!
    const embeds = [{ title: 'x', image: { url } }]
    expect((await chat.bot('POST', `${chat.channel('general')}/messages`, { embeds })).status).toBe(200)
  })

  it('are updated when the port of the service changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botwright-uploads-'))
    const data = join(folder, 'chat.db')
    try {
      const first = await startTest({ data })
      const headers = { authorization: 'Bot token-of-pollster', 'content-type': 'image/png' }
      await fetch(`${first.service.base_url}/me/avatar`, { method: 'PUT', headers, body: png })
      const { avatar_url } = (await first.bot('GET', '/me')).body as { avatar_url: string }
      const embeds = [{ title: 'x', image: { url: avatar_url } }]
      await first.bot('POST', `${first.channel('general')}/messages`, { embeds })
      const path = `${first.channel('general')}/messages`
      await first.bot('PUT', '/commands', { commands: [{ name: 'show', description: 'x' }] })
      await first.person('ann', 'POST', path, { content: `/show ${avatar_url}` })
      const form = new FormData()
      form.append('file', new Blob([png], { type: 'image/png' }), 'a.png')
      const person = { authorization: `Person ${first.service.world.people['ann']!.token}` }
      await fetch(`${first.service.url}/people/v1${path}`, { method: 'POST', headers: person, body: form })
      const { answer } = await first.clicked()
      await answer({ type: 'ephemeral', embeds })
      await first.close()
      await using second = await startService({ port: 0, data, world: {}, clock: first.clock })
      expect(second.port).not.toBe(first.service.port)
      const read = async (what: string) => (await fetch(second.base_url + what, { headers })).json()
      const moved = avatar_url.replace(first.service.url, second.url)
      expect(await read('/me')).toMatchObject({ avatar_url: moved })
      const { messages } = (await read(path)) as { messages: { content: string; attachment: string | null }[] }
      expect(messages[0]).toMatchObject({ embeds: [{ image: { url: moved } }] })
      expect(messages[1]).toMatchObject({ content: `/show ${moved}` })
      expect((await fetch(moved)).status).toBe(200)
      // A bot that was away reads the events of before the restart.
      const { events } = (await read('/events?after=1')) as { events: { type: string; data: object }[] }
      expect(events.find(({ type }) => type === 'message')!.data).toMatchObject({
        content: `/show ${moved}`,
        args: moved,
      })
      expect(events.map(({ data }) => (data as { attachment?: string | null }).attachment)).toContain(
        messages[2]!.attachment,
      )
      expect(JSON.stringify(events)).not.toContain(first.service.url)
      expect((await fetch(messages[2]!.attachment!)).status).toBe(200)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('pictures in the messages of people', () => {
  const path = (name = 'general') => `/people/v1${chat.channel(name)}/messages`
  const auth = (name = 'ann') => ({ auth: `Person ${chat.service.world.people[name]!.token}` })

  it('are sent in a form, with or without content, and reach bots as attachment [spec: 6/message]', async () => {
    await chat.events()
    const alone = await send('POST', path(), form({ file: png }), auth())
    expect([alone.status, alone.body]).toEqual([
      200,
      expect.objectContaining({ content: '', attachment: expect.stringMatching(/\/uploads\/.*\.png$/) }),
    ])
    const both = await send('POST', path(), form({ content: 'look', reply_to: alone.body.id!, file: gif }), auth())
    expect(both.body).toMatchObject({ content: 'look', reply_to_id: alone.body.id })
    const seen = (await chat.events()).map(({ data }) => (data as Answer).attachment)
    expect(seen).toEqual([alone.body.attachment, both.body.attachment])
    expect((await fetch(both.body.attachment!)).headers.get('content-type')).toBe('image/gif')
    const plain = await send('POST', path(), form({ content: 'words only' }), auth())
    expect(plain.body).toMatchObject({ content: 'words only', attachment: null })
  })

  it('allow the content to be removed, and are deleted with the message', async () => {
    const { body } = await send('POST', path(), form({ content: 'words', file: png }), auth())
    const one = `${chat.channel('general')}/messages/${body.id}`
    const edited = await chat.person('ann', 'PATCH', one, { content: '' })
    expect([edited.status, edited.body]).toEqual([200, expect.objectContaining({ attachment: body.attachment })])
    await chat.person('ann', 'DELETE', one)
    expect((await fetch(body.attachment!)).status).toBe(404)
  })

  it('follow the rules of messages and of uploads', async () => {
    const refusal = async (parts: Parameters<typeof form>[0], name = 'general', who = 'ann') => {
      const { status, body } = await send('POST', path(name), form(parts), auth(who))
      return [status, body.error]
    }
    expect(await refusal({ content: ' ' })).toEqual([400, expect.stringContaining('content')])
    expect(await refusal({ content: 'x'.repeat(2001), file: png })).toEqual([400, expect.stringContaining('content')])
    expect(await refusal({ content: 'x', reply_to: 'x', file: png })).toEqual([
      400,
      expect.stringContaining('reply_to'),
    ])
    expect(await refusal({ content: 'x', file: pngOf(limits.avatar.bytes + 1) })).toEqual([413, expect.any(String)])
    expect(await refusal({ file: png }, 'news', 'carol')).toEqual([403, expect.stringContaining('read-only')])
    expect(await refusal({ file: png }, 'staff', 'carol')).toEqual([404, 'channel not found'])
    const json = await chat.person('ann', 'POST', `${chat.channel('general')}/messages`, {})
    expect([json.status, (json.body as Answer).error]).toEqual([400, expect.stringContaining('content')])
  })

  it('are not available to bots, whose messages are JSON', async () => {
    const { status } = await send('POST', `/v1${chat.channel('general')}/messages`, form({ content: 'x', file: png }))
    expect(status).toBe(400)
  })
})
