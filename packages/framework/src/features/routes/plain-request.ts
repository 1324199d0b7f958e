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

/** A response. It can cross threads. */
export interface PlainResponse {
  status: number
  headers: Readonly<Record<string, string | readonly string[]>>
  body: string | Uint8Array
}

/** One step of a request in the bot's thread. `check`: reads it. `respond`: runs it at once. `run`: runs a stored one. */
export type RouteWork = Readonly<{
  step: 'check' | 'respond' | 'run'
  route: string
  request: PlainRequest
  receivedMs: number
  /** Of a stored request: its key in the store. */
  row?: string
  retry: boolean
  isLast?: true
  /** The queue of the thread, under the name that deliveries have for it. */
  channel_id: string
}>

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
  { headers = {}, ...more }: { headers?: PlainResponse['headers']; issues?: unknown } = {},
): PlainResponse => json(status, { error, ...more }, headers)

export const json = (status: number, value: unknown, headers: PlainResponse['headers'] = {}): PlainResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})
