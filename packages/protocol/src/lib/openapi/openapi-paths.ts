import * as z from 'zod'
import type { Endpoint } from '../endpoint.ts'
import type { Upload } from '../route.ts'
import { limits } from '../limits.ts'
import { answersOf, json } from './openapi-answers.ts'

/** A table of endpoints by group and name. */
export type Table = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>

/**
 * The default origin of the local service. Generators and linters need an absolute URL; a running service replaces it with its
 * own origin.
 */
const localOrigin = 'http://127.0.0.1:7420'

/** The `servers` array of a document or a path. */
export const serversAt = (path: string, description: string) => [{ url: localOrigin + path, description }]

/** A picture in a form; generators type it as `Blob`. */
const PictureFile = z.string().meta({ format: 'binary' })

/**
 * A form with the picture in one field, or the raw bytes with their media type (§4, PUT /me/avatar). The form is first because
 * some generators support only the first type of a body.
 */
const pictureBody = ({ field, bytes, types }: Upload) => ({
  description: `The image, at most ${bytes} bytes.`,
  required: true,
  'x-max-bytes': bytes,
  content: {
    'multipart/form-data': {
      schema: z.object({ [field]: PictureFile }),
      encoding: { [field]: { contentType: types.join(', ') } },
    },
    ...Object.fromEntries(types.map((type) => [type, {}])),
  },
})

/** JSON, or a form with the same fields plus a picture. */
const formBody = (body: z.ZodObject, { field, bytes, types }: Upload) => ({
  description: `JSON, or a form with the same fields and an image of at most ${bytes} bytes in \`${field}\`.`,
  required: true,
  'x-max-bytes': bytes,
  content: {
    ...json(body).content,
    'multipart/form-data': {
      schema: body.extend({ [field]: PictureFile.optional() }),
      encoding: { [field]: { contentType: types.join(', ') } },
    },
  },
})

function requestBodyOf({ body, upload }: Endpoint) {
  if (upload === undefined) return body && { required: true, ...json(body) }
  if (body === undefined) return pictureBody(upload)
  if (body instanceof z.ZodObject) return formBody(body, upload)
  throw new Error('a body that can be sent as a form must be an object')
}

interface PathOptions {
  /** The security scheme of calls with a token. */
  scheme: string
  /** Properties of every path besides its operations. */
  item?: object
  /** Statuses of every operation, in addition to those derived from its entry. */
  always?: readonly number[]
}

function operation(name: string, tag: string, entry: Endpoint, { scheme, always = [] }: PathOptions) {
  const requestBody = requestBodyOf(entry)
  return {
    operationId: name,
    tags: [tag],
    summary: entry.summary,
    security: entry.auth === 'bot' ? [{ [scheme]: [] }] : [],
    requestParams: { path: entry.params, ...(entry.query && { query: entry.query }) },
    ...(requestBody && { requestBody }),
    responses: answersOf(entry, always),
    'x-repeatable': entry.repeatable,
    ...(entry.permission && { 'x-permission': entry.permission }),
    ...(entry.permissionFor && { 'x-permission-for': entry.permissionFor }),
    ...(entry.flag && { 'x-server-flag': entry.flag }),
    ...(entry.limits && { 'x-rate-limit': entry.limits.map((limit) => ({ name: limit, ...limits[limit] })) }),
  }
}

/** The paths of a table. */
export function pathsOf(table: Table, options: PathOptions) {
  const found: Record<string, Record<string, ReturnType<typeof operation>>> = {}
  for (const [group, entries] of Object.entries(table)) {
    for (const [name, entry] of Object.entries(entries)) {
      found[entry.path] = {
        ...options.item,
        ...found[entry.path],
        [entry.method.toLowerCase()]: operation(`${group}.${name}`, group, entry, options),
      }
    }
  }
  return found
}

interface Rendered {
  jsonSchema: {
    additionalProperties?: unknown
    minimum?: number
    maximum?: number
    default?: unknown
    const?: unknown
    enum?: unknown[]
  }
  zodSchema: z.core.$ZodTypes
}

/**
 * Corrects zod's JSON Schema: zod closes objects and limits integers to JavaScript's safe range, which the interface does not; and
 * it omits the default of a number that is sent as text.
 */
export function asSpecified({ jsonSchema, zodSchema }: Rendered): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  const { def } = zodSchema._zod
  // orval turns an object with only `const` values into a TypeScript value that does not compile.
  if (typeof jsonSchema.const === 'boolean') {
    jsonSchema.enum = [jsonSchema.const]
    delete jsonSchema.const
  }
  if (def.type === 'default') jsonSchema.default = def.defaultValue
}
