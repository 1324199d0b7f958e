import { expect, test } from 'vitest'
import { createDocument } from 'zod-openapi'
import { channelWebhookEndpoints, endpoints } from '../endpoints.ts'
import type { Endpoint } from '../endpoint.ts'
import { eventTypes } from '../schemas/event-facts.ts'
import { limits } from '../limits.ts'
import { openApi } from './openapi.ts'
import { asSpecified } from './openapi-paths.ts'

interface Operation {
  operationId: string
  parameters?: { in: string; name: string; required?: boolean }[]
  requestBody?: { required: boolean; content: Record<string, { schema?: unknown }>; 'x-max-bytes'?: number }
  responses: Record<string, unknown>
  security?: unknown[]
  'x-permission'?: string
  'x-permission-for'?: string
  'x-rate-limit'?: { name: string; requests: number; seconds: number }[]
  'x-server-flag'?: string
}
type Paths = Record<string, Record<string, Operation>>

const document = createDocument(openApi(), { override: asSpecified })
const paths = document.paths as unknown as Paths
const text = JSON.stringify(document)

const table = Object.entries({ ...endpoints, ...channelWebhookEndpoints }).flatMap(([group, entries]) =>
  Object.entries<Endpoint>(entries).map(([name, entry]): [string, Endpoint] => [`${group}.${name}`, entry]),
)

test('the document is OpenAPI 3.1 of version 1.0.0 (§9)', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toMatchObject({ title: 'Bot interface', version: '1.0.0' })
  expect(document.components?.securitySchemes).toMatchObject({
    botToken: { type: 'apiKey', in: 'header', name: 'Authorization' },
  })
  expect(document.servers).toMatchObject([{ url: 'http://127.0.0.1:7420/v1' }])
  for (const [path, item] of Object.entries(paths)) {
    expect(path).toMatch(/^\//)
    for (const [method, operation] of Object.entries(item)) {
      if (method === 'servers') continue
      expect(['get', 'put', 'post', 'patch', 'delete']).toContain(method)
      expect(Object.keys(operation.responses)).not.toEqual([])
    }
  }
})

test.each(table)('%s is in the document with everything from the table', (name, entry) => {
  const operation = paths[entry.path]?.[entry.method.toLowerCase()]
  expect(operation?.operationId).toBe(name)
  const inPath = Object.keys(entry.params.shape).map((key) => ({ in: 'path', name: key, required: true }))
  const inQuery = Object.keys(entry.query?.shape ?? {}).map((key) => ({ in: 'query', name: key }))
  expect(operation?.parameters ?? []).toMatchObject([...inPath, ...inQuery])
  expect(operation?.parameters ?? []).toHaveLength(inPath.length + inQuery.length)
  const types = Object.keys(operation?.requestBody?.content ?? {})
  if (entry.upload) {
    expect(types).toEqual(['multipart/form-data', ...entry.upload.types])
    expect(operation?.requestBody?.['x-max-bytes']).toBe(entry.upload.bytes)
  } else {
    expect(types).toEqual(entry.body ? ['application/json'] : [])
  }
  expect(operation?.responses).toHaveProperty(String(entry.status))
  expect(operation?.security).toEqual(entry.auth === 'bot' ? [{ botToken: [] }] : [])
  expect(operation?.['x-permission']).toBe(entry.permission)
  expect(operation?.['x-permission-for']).toBe(entry.permissionFor)
  expect(operation?.['x-server-flag']).toBe(entry.flag)
  expect(operation?.['x-rate-limit']).toEqual(entry.limits?.map((limit) => ({ name: limit, ...limits[limit] })))
})

test('the document contains only what is in the table, and operation names are unique', () => {
  const names = Object.values(paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) => (method === 'servers' ? [] : [operation.operationId])),
  )
  expect(names.toSorted()).toEqual(table.map(([name]) => name).toSorted())
  expect(new Set(names).size).toBe(names.length)
})

test('every reference resolves', () => {
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(references.length).toBeGreaterThan(100)
  for (const reference of new Set(references)) {
    const target = reference.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document)
    expect(target, reference).toBeTypeOf('object')
  }
  expect(text).not.toMatch(/"\$ref":"[^#]/)
})

test('limits are in the schemas', () => {
  const schemas = document.components?.schemas as Record<string, object>
  expect(schemas['MessageCreate']).toMatchObject({ properties: { content: { type: 'string', maxLength: 2000 } } })
  expect(schemas['Embeds']).toMatchObject({ maxItems: 5, description: expect.stringContaining('6000') })
  expect(schemas['ChannelWebhookEmbeds']).toMatchObject({ maxItems: 10 })
  expect(schemas['Embed']).toMatchObject({
    properties: {
      title: { description: 'cut to 256 characters' },
      description: { description: 'cut to 4096 characters' },
      fields: { description: 'only the first 10 are kept' },
    },
  })
  expect(schemas['Button']).toMatchObject({
    oneOf: [
      { properties: { label: { maxLength: 80 }, custom_id: { type: 'string', minLength: 1, maxLength: 100 } } },
      { properties: { url: { type: 'string', format: 'uri' } } },
    ],
  })
  expect(paths['/servers/{server_id}/members']?.['get']?.parameters).toMatchObject([
    { name: 'server_id' },
    { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 500, default: 200 } },
    { name: 'after' },
  ])
  expect(document).toMatchObject({ 'x-limits': limits })
})

test('errors have the error body, and a 429 may have Retry-After (§7)', () => {
  const responses = document.components?.responses as Record<string, object>
  for (const status of ['400', '401', '403', '404', '413', '429', '500', '503']) {
    expect(responses[`Refused${status}`]).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
    })
  }
  expect(responses['Refused429']).toMatchObject({ headers: { 'Retry-After': { schema: { type: 'integer' } } } })
  expect(responses['WebhookRefused400']).toMatchObject({ description: '50006 empty message; 50035 bad field' })
  expect(paths['/interactions/{interaction_id}/{token}/callback']?.['post']?.responses).not.toHaveProperty('401')
})

test('channel webhooks have their own base URL, and return 204 or 200', () => {
  const item = document.paths?.['/{webhook_id}/{webhook_token}']
  expect(item?.servers).toMatchObject([{ url: 'http://127.0.0.1:7420/webhooks' }])
  expect(Object.keys(item?.post?.responses ?? {})).toEqual([
    '200',
    '204',
    '400',
    '401',
    '403',
    '404',
    '413',
    '429',
    '500',
    '503',
  ])
  expect(Object.keys(item?.get?.responses ?? {})).toEqual(['200', '401', '403', '404', '500', '503'])
})

test('a picture in a form is a file', () => {
  const content = paths['/me/avatar']?.['put']?.requestBody?.content
  expect(content?.['multipart/form-data']).toMatchObject({
    schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] },
    encoding: { file: { contentType: 'image/png, image/jpeg, image/gif, image/webp' } },
  })
})

test('each operation refers to the error body of its kind', () => {
  for (const [name, entry] of table) {
    const { responses } = paths[entry.path]![entry.method.toLowerCase()]!
    const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
    expect(errors.length, name).toBeGreaterThanOrEqual(4)
    const kind = name.startsWith('channelWebhooks.') ? 'WebhookRefused' : 'Refused'
    for (const [status, one] of errors) expect(one, name).toEqual({ $ref: `#/components/responses/${kind}${status}` })
  }
})

test('an operation can be refused with these statuses', () => {
  const statusesOf = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {})
  expect(statusesOf('/me', 'get')).toEqual(['200', '400', '401', '403', '429', '500', '503'])
  expect(statusesOf('/me', 'patch')).toEqual(['200', '400', '401', '403', '413', '429', '500', '503'])
  expect(statusesOf('/me/avatar', 'put')).toEqual(['200', '400', '401', '403', '413', '429', '500', '503'])
  expect(statusesOf('/channels/{channel_id}', 'get')).toEqual(['200', '400', '401', '403', '404', '429', '500', '503'])
  const channelRefusals = document.components?.responses as Record<string, { description: string; headers?: object }>
  expect(channelRefusals['WebhookRefused404']?.description).toBe('10015 unknown webhook')
  expect(channelRefusals['WebhookRefused413']?.description).toBe('the body is too large')
  expect(channelRefusals['WebhookRefused429']?.headers).toHaveProperty('Retry-After')
  expect(channelRefusals['Refused400']).not.toHaveProperty('headers')
})

test('the schemas have names: one for the data of each event, shared by events with the same data', () => {
  const names = Object.keys(document.components?.schemas ?? {})
  expect(names.filter((name) => name.endsWith('Data'))).toEqual([
    'MessageData',
    'MemberJoinData',
    'MemberLeaveData',
    'ReactionData',
    'InteractionData',
    'VoiceData',
    'TestData',
  ])
  expect(names).toEqual(expect.arrayContaining(['Id', 'Ok', 'Message', 'MessageCreate', 'EventPage', 'ErrorBody']))
})

test('zod’s limits of integers, closed objects and constants of a boolean are not in the document', () => {
  const schemas = document.components?.schemas as Record<string, { properties: Record<string, unknown> }>
  expect(schemas['Ok']?.properties).toEqual({ ok: { type: 'boolean', enum: [true] } })
  expect(schemas['EventPage']?.properties['last']).toEqual({ type: 'integer' })
  expect(text).not.toContain('"additionalProperties":false')
})

test('tags are the groups of the table', () => {
  const groups = Object.keys({ ...endpoints, ...channelWebhookEndpoints })
  expect(document.tags).toEqual(groups.map((name) => ({ name })))
  for (const [name, entry] of table)
    expect(paths[entry.path]?.[entry.method.toLowerCase()]).toMatchObject({
      tags: [name.split('.')[0]],
      summary: entry.summary,
      'x-repeatable': entry.repeatable,
      ...(entry.body && { requestBody: { required: true } }),
    })
})

test('event delivery is described as a webhook with its headers, with one schema per type (§4)', () => {
  const post = document.webhooks?.['event']?.post
  expect(post?.parameters).toMatchObject([
    { in: 'header', name: 'X-Service-Bot', required: true },
    { in: 'header', name: 'X-Service-Signature', required: true },
  ])
  expect(post).toMatchObject({
    operationId: 'eventWebhooks.deliver',
    tags: ['events'],
    security: [],
    'x-retried': false,
    'x-answer-seconds': 3,
  })
  const body = post?.requestBody as Operation['requestBody']
  expect(body?.required).toBe(true)
  const { anyOf } = body?.content['application/json']?.schema as {
    anyOf: { properties: { event: { const: string } } }[]
  }
  expect(anyOf.map(({ properties }) => properties.event.const)).toEqual(eventTypes)
})
