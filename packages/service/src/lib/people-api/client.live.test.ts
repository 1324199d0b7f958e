import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { connectPeople, PeopleError, peopleRequest } from './client.ts'
import { peopleEndpoints } from './endpoints/index.ts'
import { peopleRoutes } from './routes.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => {
  const world = testWorld()
  world.servers![0]!.channels!.push({ name: 'slow', slowmode: 60 })
  chat = await startTest({ world })
})
afterAll(() => chat.close())

const api = (name: string) =>
  connectPeople(() => ({ origin: chat.service.url, token: chat.service.world.people[name]!.token }))
const place = () => ({ channel_id: chat.workshop.channels['general']! })
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a call puts its fields where the table expects them', () => {
  const at = { channel_id: 'c', message_id: 'm' }
  expect(peopleRequest('messages.list', { channel_id: 'c', limit: 5, before: undefined })).toEqual({
    method: 'GET',
    path: '/people/v1/channels/c/messages?limit=5',
    body: undefined,
  })
  expect(peopleRequest('reactions.add', { ...at, emoji: '👍' }).path).toBe(
    '/people/v1/channels/c/messages/m/reactions/%F0%9F%91%8D',
  )
  expect(peopleRequest('messages.update', { ...at, content: 'hi' }).body).toEqual({ content: 'hi' })
  expect(peopleRequest('sessions.list')).toEqual({ method: 'GET', path: '/people/v1/sessions', body: undefined })
})

test('methods return the bodies of responses', async () => {
  const { id } = await api('ann').messages.create({ ...place(), content: 'hello' })
  const { messages } = await api('bob').messages.list({ ...place(), limit: 1 })
  expect(messages).toMatchObject([{ id, content: 'hello' }])
})

test.each([
  ['bytes with their type', { file: new Uint8Array(png), content_type: 'image/png' }],
  ['a file', { file: new Blob([png], { type: 'image/png' }) }],
])('%s can be uploaded, alone and with fields', async (_, picture) => {
  expect(await api('ann').me.setAvatar(picture)).toMatchObject({ ok: true })
  const message = await api('ann').messages.create({ ...place(), content: 'look', ...picture })
  expect(message.content).toBe('look')
  expect(message.attachment).toMatch(/\/uploads\/.+\.png$/)
})

test('a refusal is an error with the status, the text and the Retry-After of the service', async () => {
  const refused = api('bob').messages.create({ ...place(), content: '' })
  await expect(refused).rejects.toBeInstanceOf(PeopleError)
  await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/^content/) as string })
  const slow = { channel_id: chat.workshop.channels['slow']!, content: 'hello' }
  await api('carol').messages.create(slow)
  await expect(api('carol').messages.create(slow)).rejects.toMatchObject({ status: 429, retrySeconds: 60 })
})

test('a service that does not respond is an error of status 0, with its cause', async () => {
  const nowhere = connectPeople(() => ({ origin: 'http://127.0.0.1:9' })).sessions.list()
  await expect(nowhere).rejects.toMatchObject({ status: 0, cause: expect.any(Error) as Error })
})

test.each([200, 500])('a response without end, with status %i, is read to a limit', inAll, async (status) => {
  let sent = 0
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.write('{"error":"')
    const chunk = 'x'.repeat(256 * 1024)
    const send = (): void => {
      while (!response.destroyed && sent < 128 * 1024 * 1024) {
        sent += chunk.length
        if (!response.write(chunk)) return void response.once('drain', send)
      }
      response.end()
    }
    send()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const failed = await connectPeople(() => ({ origin }))
    .sessions.list()
    .catch((error: unknown) => error)
  server.closeAllConnections()
  server.close()
  expect(failed).toBeInstanceOf(PeopleError)
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

test('a response that is not JSON is an error of the client', async () => {
  const page = connectPeople(() => ({ origin: chat.service.url }))
  const server = createServer((_, response) => void response.end('<html>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const other = connectPeople(() => ({ origin })).sessions.list()
  await expect(other).rejects.toMatchObject({ status: 0, message: expect.stringContaining('cannot be read') as string })
  server.closeAllConnections()
  server.close()
  expect((await page.sessions.list()).people.length).toBeGreaterThan(0)
})

test('no field of a call belongs to two parts of its request', () => {
  for (const [group, entries] of Object.entries(peopleEndpoints))
    for (const [name, entry] of Object.entries(entries as Record<string, { body?: { shape?: object } }>)) {
      const { params, query } = peopleRoutes[`${group}.${name}`]!
      const fields = [...params, ...query, ...Object.keys(entry.body?.shape ?? {})]
      expect(fields, `${group}.${name}`).toEqual([...new Set(fields)])
    }
})

test('clients contain the routes as data, without the schemas of the table', async () => {
  const built = new URL('../../../dist/lib/people-api/routes.js', import.meta.url)
  expect(await readFile(built, 'utf8')).toBe(`export const peopleRoutes = ${JSON.stringify(peopleRoutes)}\n`)
  const folder = new URL('../../../page/', import.meta.url)
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const page = (await Promise.all(scripts.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n')
  expect(page.includes(JSON.stringify(peopleRoutes['messages.list']!.path))).toBe(true)
  expect(/ZodError|\$ZodType/.exec(page)).toBe(null)
})
