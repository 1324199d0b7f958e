import { byName, type Endpoint, type EndpointTable } from './endpoint.ts'
import type { RequestRoute } from './requests.ts'
import type { Route } from './route.ts'

/** Extracts from each entry of the table the parts that need no schema. */
export const routesOf = <Name extends string>(table: ReadonlyMap<Name, Endpoint>): Readonly<Record<Name, Route>> =>
  Object.fromEntries([...table].map(([name, entry]) => [name, routeOf(entry)])) as Record<Name, Route>

/** Extracts from each entry of a table the parts that requests are made from. */
export const requestRoutesOf = (table: EndpointTable): Readonly<Record<string, RequestRoute>> =>
  Object.fromEntries([...byName(table)].map(([name, entry]) => [name, requestRouteOf(entry)]))

const requestRouteOf = ({ method, path, params, query, body, upload }: Endpoint): RequestRoute => ({
  method,
  path,
  params: Object.keys(params.shape),
  query: Object.keys(query?.shape ?? {}),
  body: body !== undefined,
  ...(upload && { upload }),
})

function routeOf(entry: Endpoint): Route {
  const { auth, repeatable, variant, response } = entry
  const shape = (response as { shape?: Record<string, { type?: unknown }> } | undefined)?.shape ?? {}
  const list = variant ? undefined : Object.keys(shape).find((key) => shape[key]!.type === 'array')
  return {
    ...requestRouteOf(entry),
    auth,
    repeatable,
    ...(variant && { variant }),
    ...(list !== undefined && { list }),
    ok: 'ok' in shape,
  }
}
