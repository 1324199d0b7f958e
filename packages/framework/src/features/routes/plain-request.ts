import type { HttpResponse } from '@botwright/events'

/** A request whose path belongs to a route. It can cross threads. */
export interface PlainRequest {
  method: string
  path: string
  params: Readonly<Record<string, string>>
  /** The text after `?`. */
  query: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/** A request as JSON. `json`: the value of a body that was JSON. */
export type JsonRequest = Omit<PlainRequest, 'body'> & { text?: string; base64?: string; json?: unknown }

export function toJson({ body, ...plain }: PlainRequest): JsonRequest {
  const text = Buffer.from(body).toString()
  return Buffer.from(text).equals(body)
    ? { ...plain, text }
    : { ...plain, base64: Buffer.from(body).toString('base64') }
}

export function toPlain(request: PlainRequest | JsonRequest): PlainRequest {
  if ('body' in request) return request
  const { text, base64, json, ...plain } = request
  if (base64 !== undefined) return { ...plain, body: Buffer.from(base64, 'base64') }
  return { ...plain, body: Buffer.from(json === undefined ? (text ?? '') : JSON.stringify(json)) }
}

/** A response. It can cross threads. */
export type PlainResponse = HttpResponse

/** One step of a request in the bot's thread. `check`: may it run? `respond`: runs it at once. `run`: runs a stored one. */
export type RouteWork = Readonly<{
  step: 'check' | 'respond' | 'run'
  route: string
  request: PlainRequest | JsonRequest
  receivedMs: number
  /** Identifies the request, also when it runs again: the key of a stored one in the store. */
  key: string
  retry: boolean
  isLast?: true
  /** The queue of the thread, under the name that deliveries have for it. */
  channel_id: string
}>

/** `RouteWork` with the body as bytes. */
export type PlainWork = RouteWork & { readonly request: PlainRequest }

/** The result of `run` if the code no longer has the route. */
export const removed = 'removed'

/** The result of `check` for a request that is accepted. */
export interface Accepted {
  id?: string
  key?: string
  /** The headers that are stored. */
  headers: PlainRequest['headers']
}

/** A response with the reason why a request is not accepted. */
export const refused = (
  status: number,
  error: string,
  { headers = {}, ...more }: { headers?: PlainResponse['headers']; issues?: unknown; reference?: string } = {},
): PlainResponse => json(status, { error, ...more }, headers)

export const json = (status: number, value: unknown, headers: PlainResponse['headers'] = {}): PlainResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

/** The response while the bot cannot answer. */
export const unavailable = (error: string): PlainResponse => refused(503, error, { headers: { 'retry-after': '10' } })
