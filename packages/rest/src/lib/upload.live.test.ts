import { limits } from '@botwright/protocol'
import { describe, expect, test } from 'vitest'
import { answer, drive } from './bad-service.test.fixture.ts'
import { rig, TOKEN } from './rig.test.fixture.ts'

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4, 250])
const starts: [string, string][] = [
  ['image/png', '\x89PNG\r\n\x1a\n....'],
  ['image/jpeg', '\xff\xd8\xff\xe0........'],
  ['image/gif', 'GIF89a......'],
  ['image/webp', 'RIFF\x10\x00\x00\x00WEBP'],
]

describe('uploads', () => {
  test.each(starts)('sends bytes of %s raw [spec: 4/me.setAvatar, decisions/2]', async (type, start) => {
    await using it = await rig([answer(200, { ok: true, avatar_url: 'http://x/a' })])
    const file = Buffer.from(start, 'latin1')
    expect(await it.client.me.setAvatar({ file })).toEqual({ ok: true, avatar_url: 'http://x/a' })
    const [seen] = it.seen
    expect(seen).toMatchObject({ method: 'PUT', path: '/v1/me/avatar' })
    expect(seen!.headers).toMatchObject({ 'content-type': type, authorization: `Bot ${TOKEN}` })
    expect(seen!.body.equals(file)).toBe(true)
  })

  test('sends a Blob as a form with the field `file` [spec: 4/me.setBanner, decisions/2]', async () => {
    await using it = await rig([answer(200, { ok: true })])
    await it.client.me.setBanner({ file: new Blob([png]) })
    const [seen] = it.seen
    const type = seen!.headers['content-type']!
    expect(type).toMatch(/^multipart\/form-data; boundary=/)
    const form = await new Response(new Uint8Array(seen!.body), { headers: { 'content-type': type } }).formData()
    expect([...form.keys()]).toEqual(['file'])
    const file = form.get('file') as File
    expect(file.type).toBe('image/png')
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(png)
  })

  test('retries an upload after a fault: a PUT is safe', async () => {
    await using it = await rig([answer(503), answer(200, { ok: true })])
    expect(await drive(it.clock, it.client.me.setAvatar({ file: png }))).toEqual({ ok: true })
    expect(it.seen.map(({ body }) => body.equals(png))).toEqual([true, true])
  })

  test('rejects a file that is too large, empty or of another type before sending [spec: 8/avatar, 8/banner]', async () => {
    await using it = await rig([answer(200)])
    const large = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)])
    const cases: [Promise<unknown>, string][] = [
      [it.client.me.setAvatar({ file: large(limits.avatar.bytes + 1) }), 'the limit is 8388608'],
      [it.client.me.setBanner({ file: new Blob([large(limits.banner.bytes + 1)]) }), 'the limit is 10485760'],
      [it.client.me.setAvatar({ file: new Uint8Array() }), 'is empty'],
      [it.client.me.setAvatar({ file: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') }), 'must be an image'],
      [it.client.me.setAvatar({ file: Buffer.from('RIFF\x10\x00\x00\x00AVI ', 'latin1') }), 'must be an image'],
      [it.client.me.setAvatar({ file: Buffer.from('FFIR\x10\x00\x00\x00WEBP', 'latin1') }), 'must be an image'],
      [it.client.me.setAvatar({ file: png, content_type: 'image/svg+xml' }), 'must be an image'],
      [it.client.me.setAvatar({ file: 'avatar.png' as unknown as Blob }), 'must be bytes or a Blob'],
    ]
    for (const [refused, words] of cases) {
      const message = expect.stringContaining(words) as string
      await expect(refused).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST', message })
    }
    expect(it.seen).toHaveLength(0)
    await it.client.me.setAvatar({ file: large(limits.avatar.bytes) })
    expect(it.seen[0]!.body).toHaveLength(limits.avatar.bytes)
  })
})
