import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { peopleEndpoints } from '../people-api/endpoints/index.ts'
import { expectDocumented } from '../test-tools/documented-statuses.test.fixture.ts'
import { startTest } from '../test-tools/driver.test.fixture.ts'

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, unknown> }
}

interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => void (chat = await startTest()))
afterAll(() => chat.close())

const read = async (path: string) => {
  const { status, headers, body } = await chat.call('GET', path)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  return body as Document
}

describe('the OpenAPI documents (§9)', () => {
  it.each(['/developers/openapi.json', '/people/openapi.json'])('%s passes an independent validator', async (path) => {
    const validator = new Validator()
    const result = await validator.validate((await read(path)) as unknown as Record<string, unknown>)
    expect(result.errors ?? []).toEqual([])
    expect([result.valid, validator.version]).toEqual([true, '3.1'])
  })

  it("the people's document contains every endpoint of the people's table, and the stream", async () => {
    const { paths } = await read('/people/openapi.json')
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    const table = Object.entries(peopleEndpoints).flatMap(([group, entries]) =>
      Object.entries<{ method: string; path: string }>(entries).map(
        ([name, { method, path }]) => `${group}.${name} ${method} ${path}`,
      ),
    )
    expect(described.toSorted()).toEqual([...table, 'stream GET /stream'].toSorted())
  })

  it('contain the URL of the service that serves them', async () => {
    const { url } = chat.service
    const bot = await read('/developers/openapi.json')
    expect(bot.servers).toMatchObject([{ url: `${url}/v1` }])
    expect(bot.paths['/{webhook_id}/{webhook_token}']).toMatchObject({ servers: [{ url: `${url}/webhooks` }] })
    const localhost = url.replace('127.0.0.1', 'localhost')
    const people = (await (await fetch(`${localhost}/people/openapi.json`)).json()) as Document
    expect(people.servers).toMatchObject([{ url: `${localhost}/people/v1` }])
  })

  it("describe the picture of a person's message as a file in addition to the message fields", async () => {
    const { paths } = await read('/people/openapi.json')
    expect(paths['/channels/{channel_id}/messages']?.['post']?.requestBody?.content).toMatchObject({
      'application/json': { schema: { properties: { content: {}, reply_to: {} } } },
      'multipart/form-data': {
        schema: { properties: { content: {}, reply_to: {}, file: { type: 'string', format: 'binary' } } },
      },
    })
  })
})

describe('a response that its document does not list', () => {
  it('fails the test that received it', () => {
    expect(() => expectDocumented('GET', '/v1/me?x=1', 404)).toThrow(
      'GET /v1/me?x=1 answered 404; its OpenAPI document lists 200, 400, 401, 403, 429, 500, 503',
    )
    expect(() => expectDocumented('POST', '/people/v1/reports', 404)).not.toThrow()
  })

  it.each([
    ['POST', '/people/v1/reports', { body: { message_id: crypto.randomUUID(), reason: 'spam' } }, 404],
    ['POST', '/people/v1/sessions', { body: { username: 'ann' }, headers: { origin: 'https://evil.example' } }, 403],
    ['POST', '/people/v1/sessions', { raw: '{}', headers: { 'content-type': 'text/plain' } }, 400],
    ['POST', '/people/v1/servers', { raw: `"${'x'.repeat(2 ** 20)}"` }, 413],
    ['PATCH', '/people/v1/me', { body: { bio: 1 } }, 400],
    ['POST', '/v1/channels/00000000-0000-0000-0000-000000000001/messages', { body: { content: 'x' } }, 401],
  ])('%s %s: %j is listed', async (method, path, options, status) => {
    const auth = path.startsWith('/people') ? `Person ${chat.service.world.people['ann']!.token}` : undefined
    expect((await chat.call(method, path, { ...(auth !== undefined && { auth }), ...options })).status).toBe(status)
  })

  it('a service with a key lists 401 for calls that need no token', async () => {
    await using locked = await startTest({ key: true })
    expect((await locked.call('GET', '/people/v1/sessions')).status).toBe(401)
  })
})
