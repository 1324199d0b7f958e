import type { HandlerContext } from '../../author/context.ts'
import { type Defined, definedAs } from '../../author/definition.ts'
import { misspelledField } from '../../author/did-you-mean.ts'
import type { Entry } from '../../author/files/entries.ts'
import type { Env } from '../../author/register.ts'
import type { Schema } from '../../author/state/schema.ts'

/** A request, before the handler runs. */
export interface RouteRequest<B> {
  readonly method: string
  /** Without the query: `/github`. */
  readonly path: string
  /** The parts of the path that the name of the file has in brackets. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: B
  /** The variables that `bot.config.ts` declares. */
  readonly env: Env
}

/** The context of a route. It is not about an event: `ctx.state.bot` is its state, and `ctx.state.for({ server_id })` that of others. */
export interface RouteContext<B = unknown, P = Readonly<Record<string, string>>> extends HandlerContext {
  readonly kind: 'route'
  readonly method: string
  /** Without the query: `/github`. */
  readonly path: string
  /** The parts of the path that the name of the file has in brackets. */
  readonly params: P
  readonly query: URLSearchParams
  /** Without those that contain credentials. */
  readonly headers: Headers
  /** The body, as `body` of the route reads it. */
  readonly body: B
  /** True if an earlier run did not end: some of its work may have been done. */
  readonly redelivered: boolean
  readonly receivedAt: Date
}

/** A secret that the sender of a request has. */
type Proof =
  | Readonly<{ by: 'hmac'; header: string; secret: string; algorithm: string; encoding: 'hex' | 'base64' }>
  | Readonly<{ by: 'bearer'; secret: string }>

/** How requests prove that their sender may send them. */
export type Verify = Proof | ((request: RouteRequest<Uint8Array>) => boolean | Promise<boolean>) | false

/** The name of a variable that `bot.config.ts` declares. */
type Variable = Extract<keyof Env, string>

/**
 * The sender signs the raw body with a secret, as GitHub does. `secret`: the name of the variable that contains it. The header may begin with the
 * name of the algorithm: `sha256=…`.
 */
export const hmac = (options: {
  header: string
  secret: Variable
  /** Default `sha256`. */
  algorithm?: 'sha1' | 'sha256' | 'sha512'
  /** Default `hex`. */
  encoding?: 'hex' | 'base64'
}): Verify => ({ by: 'hmac', algorithm: 'sha256', encoding: 'hex', ...options })

/** The sender passes a secret: `authorization: Bearer …`. `secret`: the name of the variable that contains it. */
export const bearer = (secret: Variable): Verify => ({ by: 'bearer', secret })

/** Reads a header of a request: `id: header('x-github-delivery')`. */
export const header =
  (name: string) =>
  ({ headers }: RouteRequest<unknown>): string | undefined =>
    headers.get(name) ?? undefined

interface PlainBodies {
  bytes: Uint8Array
  text: string
}

/** The schema of a body, or the form in which the handler gets it. */
type BodyRule = Schema<unknown> | keyof PlainBodies

type BodyOf<S> = S extends keyof PlainBodies ? PlainBodies[S] : S extends Schema<infer B> ? B : unknown

/** The names in brackets of a path. */
type ParamsIn<Path extends string> = Path extends `${string}[${infer Name}]${infer Rest}`
  ? Name | ParamsIn<Rest>
  : never

/** The definition of a route. */
export interface RouteOptions<S extends BodyRule | undefined, P> {
  /** Checks the sender before anything of the body is read. `false`: anyone may send. */
  verify: Verify
  /**
   * Checks the body: JSON, or the fields of a form. `'text'` and `'bytes'` accept every content type. Without it, `ctx.body` is the JSON
   * or the form as `unknown`.
   */
  body?: S
  /** The largest body, in bytes. Default 1 MiB. */
  limit?: number
  /** Identifies a request: repeated ones run once, for 7 days. */
  id?: (request: RouteRequest<BodyOf<S>>) => string | undefined
  /** Requests with the same key run one after the other. Default: all requests of the route do. */
  key?: (request: RouteRequest<BodyOf<S>>) => string | undefined
  /** Whether a run that failed runs again, 3 times, after 10 s, 1 min and 10 min. Then it is set aside. Default false: it is set aside at once. */
  retry?: boolean
  /**
   * Runs the handler at once, and responds with its result: a text, JSON or a `Response`. Default false: the request is stored and
   * answered with 202 before the handler runs.
   */
  respond?: boolean
  /** Has the same time limit as every handler (`limits.handlerSeconds`). */
  run: (ctx: RouteContext<BodyOf<S>, P>) => unknown
}

const fields: Readonly<Record<keyof RouteOptions<undefined, never>, true>> = {
  ...{ verify: true, body: true, limit: true, id: true, key: true, retry: true, respond: true, run: true },
}

/** The result of `route(…)`: the default export of a file under `routes/`. */
export interface RouteDefinition extends Defined {
  readonly [definedAs]: 'route'
}

/** The facts of a route that need none of its code: `facts` of its definition. */
export interface RouteFacts {
  /** The largest body, in bytes. */
  limit: number
  respond: boolean
  retry: boolean
  /** Undefined for a function. */
  verify?: Proof | false
}

// The parts of a definition that only the bot's thread can use.
export interface RouteRules {
  verify: Verify
  body?: BodyRule | undefined
  id?: ((request: RouteRequest<unknown>) => string | undefined) | undefined
  key?: ((request: RouteRequest<unknown>) => string | undefined) | undefined
}

/**
 * Defines a route: the default export of a file under `routes/`, whose name is its path. `routes/github.ts` receives `POST /github`,
 * and `routes/status.get.ts` receives `GET /status`. With params the path comes first: `route('/[team]/alert', { … })`.
 */
export function route<const S extends BodyRule | undefined = undefined>(
  options: RouteOptions<S, Readonly<Record<string, string>>>,
): RouteDefinition
export function route<const Path extends string, const S extends BodyRule | undefined = undefined>(
  path: Path,
  options: RouteOptions<S, Readonly<Record<ParamsIn<Path>, string>>>,
): RouteDefinition
export function route(...given: readonly unknown[]): RouteDefinition {
  const path = typeof given[0] === 'string' ? given[0] : undefined
  const options = (path === undefined ? given[0] : given[1]) as RouteOptions<undefined, never>
  const { verify, body, limit = DEFAULT_LIMIT, id, key, retry = false, respond = false, run } = options
  const facts: RouteFacts = { limit, respond, retry, ...(typeof verify !== 'function' && { verify }) }
  const rules: RouteRules = { verify, body, id, key }
  return {
    [definedAs]: 'route',
    run,
    facts,
    payload: rules,
    problem: (entry) => misspelledField(options, fields) ?? problemOf(entry, path, options),
  }
}

const DEFAULT_LIMIT = 1024 * 1024

function problemOf(
  { name, plugin }: Entry,
  path: string | undefined,
  { verify, id, key, retry, respond }: RouteOptions<undefined, never>,
): string | undefined {
  const [method, mounted = ''] = name.split(' ')
  // The routes of a plugin are below its name.
  const own = plugin === undefined ? mounted : mounted.slice(plugin.length + 1)
  if (path !== undefined && path !== own) return `defines route('${path}', …): rename it, or write route('${own}', …)`
  if (verify !== false && typeof verify !== 'function' && !(verify as Proof | undefined | null)?.by)
    return 'has no verify: add hmac(…) or bearer(…), or verify: false if anyone may send requests'
  if (method === 'GET' && !respond) return 'is a GET route without a response: add respond: true'
  const useless = respond && Object.entries({ id, key, retry }).find(([, value]) => value !== undefined)
  return useless ? `${useless[0]} has no effect with respond: true, which stores no request; remove it` : undefined
}
