/** A JSON Schema of the OpenAPI document; only the parts that the reference shows. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: object
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** A parameter of a path, a query or a header. */
export interface Parameter {
  in: string
  name: string
  required?: boolean
  description?: string
  schema: Schema
}

type Content = Record<string, { schema?: Schema }>

/** A response of an endpoint, or a reference to one. */
export interface Answer {
  $ref?: string
  description?: string
  content?: Content
}

/** An operation of the document. */
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { description?: string; content: Content; 'x-max-bytes'?: number }
  responses: Record<string, Answer>
  'x-permission'?: string
  'x-permission-for'?: string
  'x-server-flag'?: string
  'x-rate-limit'?: { name: string; requests: number; seconds: number; per: string }[]
}

/** The OpenAPI document of the bot interface, as written by the build. */
export interface ApiDocument {
  info: { title: string; version: string; description: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: { event: { post: Operation } }
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> }
  'x-limits': Record<string, Record<string, number | string>>
}

/** An endpoint with its method and path. `webhook`: it belongs to the URL of a channel webhook. */
export interface Endpoint {
  method: string
  path: string
  webhook: boolean
  operation: Operation
}

/** The endpoints, in document order. */
export const endpointsOf = (document: ApiDocument): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        webhook: 'servers' in item,
        operation,
      })),
  )

/** Resolves a reference within the document. */
export function lookUp(document: ApiDocument, schema: Schema): Schema {
  const name = nameOf(schema)
  return (name === undefined ? undefined : document.components.schemas[name]) ?? schema
}

/** The name of a referenced schema. */
export const nameOf = (schema: Schema): string | undefined => schema.$ref?.slice('#/components/schemas/'.length)

/** Removes `null` from a schema, and returns whether it was nullable. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null')
    return {
      schema: { ...schema, type: types.length === 1 ? types[0]! : types },
      nullable: types.length < schema.type.length,
    }
  }
  const others = schema.anyOf?.filter(({ type }) => type !== 'null')
  if (others === undefined || others.length === schema.anyOf!.length) return { schema, nullable: false }
  return { schema: others.length === 1 ? others[0]! : { ...schema, anyOf: others }, nullable: true }
}

/** A name in words: `channelWebhooks` becomes "Channel webhooks". */
export const words = (name: string): string => {
  const spaced = name
    .replace(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
