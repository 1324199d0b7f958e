import type { Endpoint } from './endpoint.ts'
import type { Route } from './route.ts'

/** Extracts from each entry of the table the parts that need no schema. */
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
