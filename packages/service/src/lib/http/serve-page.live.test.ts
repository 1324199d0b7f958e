import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => {
  chat = await startTest()
})
afterAll(() => chat.close())

/** A response as it is sent: `fetch` would decompress it. */
function request(path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: number }>((resolve, reject) => {
    get(`${chat.service.url}${path}`, { headers }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => (bytes += part.length))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, bytes }))
    }).on('error', reject)
  })
}

test.each(['/app.js', '/app.css', '/developers/', '/assets/reference.css'])(
  'sends %s compressed, and only once to the same browser',
  async (path) => {
    const whole = await request(path, {})
    const packed = await request(path, { 'accept-encoding': 'gzip' })
    expect(packed).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip', 'cache-control': 'no-cache' } })
    expect(packed.headers['vary']).toMatch(/accept-encoding/i)
    expect(packed.bytes).toBeLessThan(whole.bytes / 2)
    const { etag } = packed.headers as { etag: string }
    const again = await request(path, { 'accept-encoding': 'gzip', 'if-none-match': etag })
    expect([again.status, again.bytes]).toEqual([304, 0])
  },
)

test('sends the page for the URL of a channel, with its policy, also as 304', async () => {
  const { headers } = await request('/s/1/c/2', {})
  const again = await request('/s/1/c/2', { 'if-none-match': headers['etag'] as string })
  expect(again.status).toBe(304)
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('sends the page to a browser that opens an unknown path, and JSON to a program', async () => {
  const opened = await request('/no/such/page', { accept: 'text/html,*/*;q=0.8' })
  expect(opened).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } })
  const asked = await fetch(`${chat.service.url}/no/such/page`)
  expect([asked.status, await asked.json()]).toEqual([404, { error: 'GET /no/such/page: no such path' }])
})

/** The limit of the scripts that a browser loads before it shows the chat, compressed. */
const MOST_BYTES = 115_000

test('loads the scripts of rarely used screens late, so that the first ones are small', async () => {
  const html = await (await fetch(`${chat.service.url}/`)).text()
  const files = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path!))
  for (const file of files) {
    const script = await (await fetch(chat.service.url + file)).text()
    for (const [, name] of script.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) files.add(`/assets/${name}`)
  }
  const sizes: Record<string, number> = {}
  for (const file of files) {
    const { status, bytes } = await request(file, { 'accept-encoding': 'gzip' })
    expect(status, file).toBe(200)
    sizes[file] = bytes
  }
  const sum = Object.values(sizes).reduce((all, each) => all + each, 0)
  expect(sum, JSON.stringify(sizes)).toBeLessThan(MOST_BYTES)
  // The browser asks for all of them at once.
  expect(html.match(/rel="modulepreload"/g)?.length).toBe(files.size - 1)
})

test('the scripts and styles of the first screen weigh at most 130 kB', async () => {
  const html = await (await fetch(chat.service.page)).text()
  const files = [...html.matchAll(/(?:src|href)="(?<file>\/assets\/[^"]+)"/g)].map(({ groups }) => groups!['file']!)
  expect(files.length).toBeGreaterThan(3)
  const sizes = await Promise.all(files.map(async (file) => (await request(file, { 'accept-encoding': 'gzip' })).bytes))
  const bytes = sizes.reduce((sum, one) => sum + one, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(130_000)
})
