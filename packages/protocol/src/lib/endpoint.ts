import * as z from 'zod'
import { Id } from './schemas/fields.ts'
import type { RateLimitName } from './limits.ts'
import type { Permission } from './schemas/resources.ts'
import type { Auth, Method, Upload, Variant } from './route.ts'

/** The names in braces in a path. */
export type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

/** One endpoint of the interface (§4): everything that a client, a service and the documentation need. */
export interface Endpoint {
  method: Method
  /** Relative to the base URL, names in braces. */
  path: string
  /** The section of the specification. */
  spec: string
  summary: string
  params: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  upload?: Upload
  response?: z.ZodType
  /** The status of a successful response; 200 by default. */
  status: number
  auth: Auth
  /** The permission that one of the bot's roles in that server must have (§5.5). */
  permission?: Permission
  /** Set if the permission is required only for messages of others. */
  permissionFor?: 'others'
  /**
   * The callers that are allowed, in addition to `permission`. Default: members of the server in the path who can see its channel. `anyone`: also people
   * who are not in the server; `own_bot`: the owner of the bot in the path; `staff`: the service's staff.
   */
  access?: 'anyone' | 'own_bot' | 'staff'
  limits?: readonly RateLimitName[]
  /** A flag of the server without which the endpoint responds with 403 (§4, "available only on some servers"). */
  flag?: 'bot_voice' | 'channel_webhooks'
  /** Whether a call with an unknown outcome may be repeated: true except for POSTs that create something. */
  repeatable: boolean
  variant?: Variant
}

type Optional = Partial<
  Pick<
    Endpoint,
    | 'query'
    | 'body'
    | 'upload'
    | 'response'
    | 'status'
    | 'auth'
    | 'permission'
    | 'permissionFor'
    | 'access'
    | 'limits'
    | 'flag'
    | 'repeatable'
    | 'variant'
  >
>

const plainNames = new Set(['token', 'emoji', 'webhook_token', 'event_id'])

/** Completes an entry of the table with the schema of its path parameters and the defaults. */
export function endpoint<const D extends Optional & Pick<Endpoint, 'method' | 'path' | 'spec' | 'summary'>>(
  definition: D,
) {
  const names = [...definition.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as PathNames<D['path']>)
  const shape = Object.fromEntries(names.map((name) => [name, plainNames.has(name) ? z.string().min(1) : Id]))
  // `fromEntries` loses the types of the keys.
  const params = z.object(shape as unknown as Record<PathNames<D['path']>, z.ZodType<string, string>>)
  return {
    status: 200,
    auth: 'bot' as Auth,
    repeatable: definition.method !== 'POST',
    ...definition,
    params,
  }
}

/** The input of an endpoint: path parameters, query and body in one flat object. */
export type InputOf<E extends Endpoint> = { [Name in PathNames<E['path']>]: string } & (E extends {
  query: infer Q extends z.ZodType
}
  ? z.input<Q>
  : object) &
  (E extends { body: infer B extends z.ZodType } ? z.input<B> : object) &
  (E extends { upload: Upload } ? UploadInput<E> : object)

/** A picture that goes with a body is optional. */
type UploadInput<E extends Endpoint> = E extends { body: z.ZodType }
  ? { file?: Uint8Array | Blob; content_type?: string }
  : { file: Uint8Array | Blob; content_type?: string }

/** The output of an endpoint. */
export type OutputOf<E extends Endpoint> = E extends { response: infer R extends z.ZodType } ? z.output<R> : undefined

/** The input and output of each endpoint of a table: path parameters, query and body in one flat object, and the response. */
export type CallsOf<Table> = {
  [Group in keyof Table]: {
    [Name in keyof Table[Group]]: Table[Group][Name] extends infer E extends Endpoint
      ? { input: InputOf<E>; output: OutputOf<E> }
      : never
  }
}

/** Endpoints by group and name. */
export type EndpointTable = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>

/** A table as one flat map from name, such as `messages.create`, to entry. */
export const byName = (table: EndpointTable): ReadonlyMap<string, Endpoint> =>
  new Map(
    Object.entries(table).flatMap(([group, entries]) =>
      Object.entries(entries).map(([name, entry]): [string, Endpoint] => [`${group}.${name}`, entry]),
    ),
  )

/** The validated parts of a request, as a service handler receives them. */
export interface RequestOf<E extends Endpoint> {
  params: { [Name in PathNames<E['path']>]: string }
  query: E extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined
  body: E extends { body: infer B extends z.ZodType } ? z.output<B> : undefined
}

/** The return type of a service handler. */
export type AnswerOf<E extends Endpoint> = E extends { response: infer R extends z.ZodType } ? z.input<R> : void
