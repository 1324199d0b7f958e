import { BotwrightError, routes } from '@botwright/protocol/facts'
import type { Route } from '@botwright/protocol/facts'

/** The parts of an endpoint that are computed once, before it is called. */
export interface Plan {
  name: string
  route: Route
  /** The texts between the path names: always one more than there are names. */
  texts: string[]
  /** The keys of the flat input that are not part of the body. */
  notBody: ReadonlySet<string>
}

/** The flat input of a call, sorted into the parts of a request. */
export interface Parts {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown> | undefined
}

const planOf = (name: string, route: Route, prefix: string): Plan => ({
  name,
  route,
  texts: `${prefix}${route.path}`.split(/\{\w+\}/),
  notBody: new Set([...route.params, ...route.query]),
})

/** The plans of all endpoints, with the base URL's own path in front of every path. */
export const plansOf = (prefix: string): ReadonlyMap<string, Plan> =>
  new Map(Object.entries(routes).map(([name, route]) => [name, planOf(name, route, prefix)]))

/** The error of a call that is refused before it is sent. */
export const invalid = (endpoint: string, fact: string): BotwrightError =>
  new BotwrightError('ERR_INVALID_REQUEST', `${endpoint}: ${fact}`)

/** Whether the endpoint accepts any input that could be invalid. */
export const takesInput = ({ route }: Plan): boolean => route.params.length + route.query.length > 0 || route.body

/** Sorts the flat input of a call: fields of no other part belong to the body. */
export function partsOf({ name, route, notBody }: Plan, input: Record<string, unknown>): Parts {
  if (typeof input !== 'object' || input === null) throw invalid(name, 'takes one object with its fields')
  const parts: Parts = { params: {}, query: {}, body: route.body ? {} : undefined }
  for (const key of route.params) parts.params[key] = input[key]
  for (const key of route.query) parts.query[key] = input[key]
  if (parts.body) for (const key in input) if (!notBody.has(key)) parts.body[key] = input[key]
  return parts
}

/** The path of a request, with its query. */
export function pathOf({ route, texts }: Plan, { params, query }: Parts): string {
  let path = texts[0]!
  route.params.forEach((key, i) => (path += encodeURIComponent(params[key] as string) + texts[i + 1]!))
  let mark = '?'
  for (const key of route.query) {
    if (query[key] === undefined) continue
    path += `${mark}${key}=${encodeURIComponent(query[key] as string | number)}`
    mark = '&'
  }
  return path
}
