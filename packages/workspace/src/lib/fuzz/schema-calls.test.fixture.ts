import { Agent, request } from 'node:http'
import { endpointsByName } from '@botwright/protocol'
import fc from 'fast-check'
import { type IdsFor, type JsonSchema, valuesOf } from './schema-values.test.fixture.ts'

/** One call as sent. */
export interface MadeCall {
  /** `POST /channels/{channel_id}/messages` */
  operation: string
  method: string
  path: string
  headers: Record<string, string>
  body: Uint8Array | undefined
}

interface Operation {
  parameters?: { name: string; in: string; schema?: JsonSchema; required?: boolean }[]
  requestBody?: { content: Record<string, { schema?: JsonSchema }> }
}

/** A part of an OpenAPI document: its prefix and content. */
export interface Document {
  /** `/v1` */
  base: string
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, JsonSchema> }
}

const json = (value: unknown): Uint8Array | undefined => {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : Buffer.from(text)
}

/** Ids by the name of the matching field or path part; `any` contains all of them. */
export type Ids = Readonly<Record<string, readonly string[]>>

const badIds = ['x', '..', '%00', '%2f', '%zz', 'a'.repeat(3000), '00000000-0000-0000-0000-00000000000G']

/** Calls of all operations of a document with equal probability, with the given `ids` and `authorizations`, valid and invalid. */
export function callsOf(document: Document, ids: Ids, authorizations: readonly string[]): fc.Arbitrary<MadeCall> {
  const fitting = new Map<string, fc.Arbitrary<string>>()
  const id: IdsFor = (name) => {
    const known = fitting.get(name)
    if (known) return known
    const [own, any] = [ids[name] ?? [], ids['any'] ?? []]
    const made = fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...(own.length > 0 ? own : any)) },
      { weight: 3, arbitrary: fc.constantFrom(...any) },
      { weight: 1, arbitrary: fc.constantFrom(...badIds) },
    )
    fitting.set(name, made)
    return made
  }
  const schemas = document.components?.schemas ?? {}
  const made = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([verb, operation]) => {
      const method = verb.toUpperCase()
      if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method) || path.endsWith('/stream')) return []
      return [operationCalls({ document, path, method, operation, id, schemas, authorizations })]
    }),
  )
  return fc.oneof(...made)
}

interface Made {
  document: Document
  path: string
  method: string
  operation: Operation
  id: IdsFor
  schemas: Record<string, JsonSchema>
  authorizations: readonly string[]
}

function operationCalls({
  document,
  path,
  method,
  operation,
  id,
  schemas,
  authorizations,
}: Made): fc.Arbitrary<MadeCall> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const part = (name: string) =>
    name === 'emoji'
      ? fc.constantFrom('%F0%9F%91%8D', '%E2%9D%A4', 'x', '%F0%9F', '%20')
      : /token/.test(name)
        ? fc.constantFrom('wrong', '%00', 'x'.repeat(500))
        : id(name)
  const query = (operation.parameters ?? []).filter((each) => each.in === 'query')
  const queries = fc.record(
    Object.fromEntries(query.map((each) => [each.name, queryValue(each.name, each.schema ?? {}, id, schemas)])),
    {
      requiredKeys: [],
    },
  )
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const jsonSchema = operation.requestBody?.content['application/json']?.schema
  const body: fc.Arbitrary<[string | undefined, Uint8Array | undefined]> = jsonSchema
    ? valuesOf(jsonSchema, id, schemas).map((value) => ['application/json', json(value)])
    : content
      ? fc.tuple(
          fc.constantFrom(type, 'image/png', 'multipart/form-data; boundary=x', 'text/plain'),
          fc.uint8Array({ maxLength: 200 }),
        )
      : fc.constant([undefined, undefined])
  const values = fc.tuple(...names.map(part))
  return fc
    .record({ values, queries, body, authorization: fc.constantFrom(...authorizations) })
    .map(({ values: filled, queries: asked, body: [kind, bytes], authorization }) => {
      const search = Object.entries(asked).map(([key, value]) => `${encodeURIComponent(key)}=${safely(value)}`)
      const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => filled[names.indexOf(name)]!)
      return {
        operation: `${method} ${document.base}${path}`,
        method,
        path: document.base + filledPath + (search.length > 0 ? `?${search.join('&')}` : ''),
        headers: {
          ...(authorization !== '' && { authorization }),
          ...(kind !== undefined && { 'content-type': kind }),
        },
        body: bytes,
      }
    })
}

const safely = (value: unknown): string => {
  try {
    return encodeURIComponent(typeof value === 'string' ? value : String(JSON.stringify(value)))
  } catch {
    // Half a surrogate pair has no encoding; send the bytes that a careless client would send.
    return '%ED%A0%80'
  }
}

/** A waiting poll would block the run, so waits are 0 or invalid. */
const queryValue = (name: string, schema: JsonSchema, id: IdsFor, schemas: Record<string, JsonSchema>) =>
  name === 'wait' ? fc.constantFrom<unknown>(0, -1, 26, 'x', '') : valuesOf(schema, id, schemas, name)

export interface Answered {
  status: number
  body: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
export const closeAgent = (): void => agent.destroy()

/** Makes a call. Rejects without a complete response within 10 seconds. */
export async function make(port: number, call: MadeCall): Promise<Answered> {
  try {
    return await exchange(port, call, agent)
  } catch (error) {
    // A service may close an idle connection just when it is reused. Then the call must succeed on a new connection.
    if (!(error instanceof Reused)) throw error
    return exchange(port, call, false)
  }
}

class Reused extends Error {}

const exchange = (port: number, call: MadeCall, using: Agent | false): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { method, path } = call
    const headers = { ...call.headers, ...(call.body && { 'content-length': String(call.body.byteLength) }) }
    const options = { host: '127.0.0.1', port, method, path, headers, agent: using, timeout: 10_000 }
    const sent = request(options, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (text: string) => (body += text))
      answer.on('end', () => resolve({ status: answer.statusCode!, body }))
      answer.on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer within 10 s')))
    sent.on('error', (error: Error & { code?: string }) =>
      reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new Reused(error.message) : error),
    )
    sent.end(call.body)
  })

const known = new Set([200, 204, 400, 401, 403, 404, 405, 413, 429])
const responses = new Map(
  [...endpointsByName.values()].map((entry) => [`${entry.method} /v1${entry.path}`, entry.response]),
)

/** The problem with a response: an undocumented status, a refusal without its body, or a success of another shape. */
export function faultOf(call: Pick<MadeCall, 'operation' | 'path'>, { status, body }: Answered): string | undefined {
  if (!known.has(status)) return `status ${status}`
  if (status >= 400) return refusalFault(body)
  const response = responses.get(call.operation)
  // Dots in a path lead to another operation, as in every URL.
  if (status === 204 || !response || call.path.includes('/../')) return undefined
  const found = response.safeParse(JSON.parse(body))
  return found.success ? undefined : `a response of another shape: ${found.error.message}`
}

/** The problem with the body of a refusal (§7). */
export function refusalFault(body: string): string | undefined {
  let told: unknown
  try {
    told = JSON.parse(body)
  } catch {
    return 'a refusal without JSON'
  }
  const { error, ...rest } = told as { error?: unknown }
  if (typeof error !== 'string' || error === '' || Object.keys(rest).length > 0) return 'a refusal of another shape'
  return /token-of-|\bat .*\.[jt]s:\d/.test(error) ? 'a refusal that contains a secret or a stack' : undefined
}
