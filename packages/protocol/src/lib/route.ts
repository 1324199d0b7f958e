import type { Endpoint, Method, Upload } from './endpoint.ts'

/** What a client needs of an endpoint to send a call and to read its answer: the table's row without its schemas. */
export interface Route {
  method: Method
  /** Relative to the base URL, names in braces. */
  path: string
  /** The names of the path and of the query. */
  params: readonly string[]
  query: readonly string[]
  /** Whether it takes a JSON body. */
  body: boolean
  upload?: Upload
  auth: Endpoint['auth']
  repeatable: boolean
  variant?: NonNullable<Endpoint['variant']>
  /** The key of the list in its answer, if it gives one. */
  list?: string
  /** Whether its answer is `{ ok: true }` and more. */
  ok: boolean
}

/** Takes from each entry of the table what needs no schema. */
export const routesOf = <Name extends string>(table: ReadonlyMap<Name, Endpoint>): Readonly<Record<Name, Route>> =>
  Object.fromEntries([...table].map(([name, entry]) => [name, routeOf(entry)])) as Record<Name, Route>

function routeOf({ method, path, params, query, body, upload, auth, repeatable, variant, response }: Endpoint): Route {
  const shape = (response as { shape?: Record<string, { type?: unknown }> } | undefined)?.shape ?? {}
  const list = variant ? undefined : Object.keys(shape).find((key) => shape[key]!.type === 'array')
  return {
    method,
    path,
    params: Object.keys(params.shape),
    query: Object.keys(query?.shape ?? {}),
    body: body !== undefined,
    ...(upload && { upload }),
    auth,
    repeatable,
    ...(variant && { variant }),
    ...(list !== undefined && { list }),
    ok: 'ok' in shape,
  }
}
