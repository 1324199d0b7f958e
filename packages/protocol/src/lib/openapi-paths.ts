import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import type { Upload } from './route.ts'
import { limits } from './limits.ts'
import { answersOf, json } from './openapi-answers.ts'

/** A table of endpoints by group and name. */
export type Table = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>

/** The raw bytes under their own type, or a form with the picture in one field (§4, PUT /me/avatar). */
const pictureBody = ({ field, bytes, types }: Upload) => ({
  description: `The picture, at most ${bytes} bytes.`,
  required: true,
  'x-max-bytes': bytes,
  content: {
    ...Object.fromEntries(types.map((type) => [type, {}])),
    'multipart/form-data': {
      schema: { type: 'object' as const, properties: { [field]: {} }, required: [field] },
      encoding: { [field]: { contentType: types.join(', ') } },
    },
  },
})

/** JSON, or a form with the same fields and a picture beside them. */
const formBody = (body: z.ZodType, { field, bytes, types }: Upload) => ({
  description: `As JSON, or as a form that also holds a picture of at most ${bytes} bytes in \`${field}\`.`,
  required: true,
  'x-max-bytes': bytes,
  content: {
    ...json(body).content,
    'multipart/form-data': { schema: body, encoding: { [field]: { contentType: types.join(', ') } } },
  },
})

function requestBodyOf({ body, upload }: Endpoint) {
  if (upload) return body ? formBody(body, upload) : pictureBody(upload)
  return body && { required: true, ...json(body) }
}

function operation(name: string, tag: string, entry: Endpoint, scheme: string) {
  const requestBody = requestBodyOf(entry)
  return {
    operationId: name,
    tags: [tag],
    summary: entry.summary,
    security: entry.auth === 'bot' ? [{ [scheme]: [] }] : [],
    requestParams: { path: entry.params, ...(entry.query && { query: entry.query }) },
    ...(requestBody && { requestBody }),
    responses: answersOf(entry),
    'x-repeatable': entry.repeatable,
    ...(entry.permission && { 'x-permission': entry.permission }),
    ...(entry.permissionFor && { 'x-permission-for': entry.permissionFor }),
    ...(entry.flag && { 'x-server-flag': entry.flag }),
    ...(entry.limits && { 'x-rate-limit': entry.limits.map((limit) => ({ name: limit, ...limits[limit] })) }),
  }
}

/** The paths of a table. `scheme` is the security scheme of calls with a token; `item` stands in every path. */
export function pathsOf(table: Table, { scheme, item = {} }: { scheme: string; item?: object }) {
  const found: Record<string, Record<string, ReturnType<typeof operation>>> = {}
  for (const [group, entries] of Object.entries(table)) {
    for (const [name, entry] of Object.entries(entries)) {
      found[entry.path] = {
        ...item,
        ...found[entry.path],
        [entry.method.toLowerCase()]: operation(`${group}.${name}`, group, entry, scheme),
      }
    }
  }
  return found
}

interface Rendered {
  jsonSchema: { additionalProperties?: unknown; minimum?: number; maximum?: number; default?: unknown }
  zodSchema: z.core.$ZodTypes
}

/**
 * Mends what zod writes out: it closes objects and bounds integers by what JavaScript holds, while the interface does neither; and
 * it leaves out the default of a number that arrives as text.
 */
export function asSpecified({ jsonSchema, zodSchema }: Rendered): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  const { def } = zodSchema._zod
  if (def.type === 'default') jsonSchema.default = def.defaultValue
}
