// How the entries of a table become the methods of a client, and a call of one becomes a request. Clients of bots and of people share
// this; it needs no schemas.

import type { Route } from './route.ts'

/** The facts of an endpoint that a request is made from. */
export type RequestRoute = Pick<Route, 'method' | 'path' | 'params' | 'query' | 'body' | 'upload'>

/** The parts of an endpoint that are computed once, before it is called. */
export interface RequestPlan<R extends RequestRoute = RequestRoute> {
  route: R
  /** The texts between the path names: always one more than there are names. */
  texts: string[]
  /** The keys of the flat input that are not part of the body. */
  notBody: ReadonlySet<string>
}

/** The flat input of a call, sorted into the parts of a request. */
export interface RequestParts {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown> | undefined
}

/** Prepares the requests of an endpoint, with `prefix` in front of its path. */
export const planRequest = <R extends RequestRoute>(route: R, prefix: string): RequestPlan<R> => ({
  route,
  texts: `${prefix}${route.path}`.split(/\{\w+\}/),
  notBody: new Set([...route.params, ...route.query, ...(route.upload ? ['file', 'content_type'] : [])]),
})

/** Sorts the flat input of a call: fields of no other part belong to the body. */
export function requestParts({ route, notBody }: RequestPlan, input: Record<string, unknown>): RequestParts {
  const parts: RequestParts = { params: {}, query: {}, body: route.body ? {} : undefined }
  for (const key of route.params) parts.params[key] = input[key]
  for (const key of route.query) parts.query[key] = input[key]
  if (parts.body) for (const key in input) if (!notBody.has(key)) parts.body[key] = input[key]
  return parts
}

/** The path of a request, with its query. */
export function requestPath({ route, texts }: RequestPlan, { params, query }: RequestParts): string {
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

/** `input` is optional if an endpoint requires none. */
type MethodOf<Call, Options> = Call extends { input: infer Input; output: infer Output }
  ? object extends Input
    ? (input?: Input, options?: Options) => Promise<Output>
    : (input: Input, options?: Options) => Promise<Output>
  : never

/** Calls by group and name as methods: `client.messages.create({ channel_id, content })`. */
export type MethodsOf<Calls, Options> = {
  readonly [G in keyof Calls]: { readonly [K in keyof Calls[G]]: MethodOf<Calls[G][K], Options> }
}

type Groups = Record<string, Record<string, (input?: object, options?: object) => unknown>>

/** Makes a method of each name, such as `messages.create`, by group. */
export function methodsOf(
  names: Iterable<string>,
  call: (name: string, input: object, options?: object) => unknown,
): Groups {
  const groups: Groups = {}
  for (const name of names) {
    const [group, key] = name.split('.') as [string, string]
    groups[group] ??= {}
    groups[group][key] = (input = {}, options) => call(name, input, options)
  }
  return groups
}
