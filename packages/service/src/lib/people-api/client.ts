import type { CallsOf, Method } from '@botwright/protocol'
import { methodsOf, type MethodsOf, planRequest, requestParts, requestPath } from '@botwright/protocol/requests'
import type { PeopleEndpoints } from './endpoints/index.ts'
import { peopleRoutes } from './routes.ts'
import { limitedText } from './limited-text.ts'
import { peopleBase } from './paths.ts'

/** The inputs and outputs of the people's API. */
export type PeopleCalls = CallsOf<PeopleEndpoints>

type Names<T> = { [G in keyof T & string]: `${G}.${keyof T[G] & string}` }[keyof T & string]

/** The name of an endpoint of the people's API, such as `messages.create`. */
export type PeopleCallName = Names<PeopleCalls>

/** One request to the people's API. */
export interface PeopleRequest {
  method: Method
  /** From the root of the service, with the query. */
  path: string
  /** An object to send as JSON; a `Blob` to send as it is, or a form, for uploads. */
  body?: Blob | FormData | Record<string, unknown> | undefined
}

/** The people's API as methods, `people.messages.create({ channel_id, content })`, typed from its table. */
export type PeopleClient = MethodsOf<PeopleCalls, never>

const plans = new Map(Object.entries(peopleRoutes).map(([name, route]) => [name, planRequest(route, peopleBase)]))

/** The request of a call: path names, query and body in one flat object. */
export function peopleRequest(name: PeopleCallName, input: object = {}): PeopleRequest {
  const plan = plans.get(name)!
  const { method, upload } = plan.route
  const fields = input as Record<string, unknown>
  const parts = requestParts(plan, fields)
  const file = upload && picture(fields)
  return {
    method,
    path: requestPath(plan, parts),
    body: file && parts.body ? form(parts.body, upload.field, file) : (file ?? parts.body),
  }
}

/** Makes a client of a function that sends its requests, and returns the bodies of the responses. */
export const createPeopleClient = (send: (request: PeopleRequest) => Promise<unknown>): PeopleClient =>
  methodsOf(Object.keys(peopleRoutes), (name, input) =>
    send(peopleRequest(name as PeopleCallName, input)),
  ) as unknown as PeopleClient

/** How a caller is known to the service: by the token of a session, and the key if the service requires one. */
export interface PeopleAccess {
  /** The scheme, host and port of the service; empty in its own page. */
  origin: string
  token?: string | undefined
  key?: string | undefined
}

/** The service refused a call, or did not respond with JSON (status 0). `message` is its error text, `retrySeconds` its `Retry-After` (§7). */
export class PeopleError extends Error {
  readonly status: number
  readonly retrySeconds: number | undefined
  constructor(status: number, message: string, options: { retrySeconds?: number | undefined; cause?: unknown } = {}) {
    super(message, options)
    this.status = status
    this.retrySeconds = options.retrySeconds
  }
}

/** Makes a client that sends its calls with `fetch`, using the access token that is current then. Its methods reject with a `PeopleError`. */
export const connectPeople = (access: () => PeopleAccess): PeopleClient =>
  createPeopleClient((request) => sendPeople(request, access()))

/** Sends a request with `fetch`, and returns the body of the response. Rejects with a `PeopleError`. */
export async function sendPeople(request: PeopleRequest, access: PeopleAccess): Promise<unknown> {
  const response = await fetchPeople(request, access)
  if (response.ok) return readJson(response)
  const wait = Number(response.headers.get('retry-after') ?? NaN)
  const retrySeconds = Number.isNaN(wait) ? undefined : wait
  throw new PeopleError(response.status, await errorText(response), { retrySeconds })
}

/** Another server at the address may send anything, without end. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await limitedText(response)) as unknown
  } catch (cause) {
    throw new PeopleError(0, `The response of the chat service cannot be read: ${(cause as Error).message}.`, { cause })
  }
}

const errorText = async (response: Response): Promise<string> => {
  const body = (await readJson(response).catch(() => undefined)) as { error?: unknown } | null | undefined
  return typeof body?.error === 'string' ? body.error : `The service responded with status ${response.status}.`
}

/** Sends a request with `fetch`, and returns its response, whatever its status. Rejects with a `PeopleError` if there is none. */
export function fetchPeople(
  { method, path, body }: PeopleRequest,
  access: PeopleAccess,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const isUpload = body instanceof Blob || body instanceof FormData
  const response = fetch(access.origin + path, {
    method,
    signal,
    credentials: 'omit',
    headers: {
      ...(access.token !== undefined && { authorization: `Person ${access.token}` }),
      ...(access.key !== undefined && { 'x-service-key': access.key }),
      ...(body !== undefined && !isUpload && { 'content-type': 'application/json' }),
    },
    body: isUpload ? body : body === undefined ? null : JSON.stringify(body),
  })
  return response.catch((cause: unknown) => {
    throw new PeopleError(0, 'The chat service is not responding. Is it still running?', { cause })
  })
}

function picture({ file, content_type }: { file?: Blob | Uint8Array<ArrayBuffer>; content_type?: string }) {
  if (file === undefined) return undefined
  return file instanceof Blob && content_type === undefined ? file : new Blob([file], { type: content_type ?? '' })
}

/** A message with a picture: its fields as text, and the picture in its own. */
function form(fields: object, name: string, file: Blob): FormData {
  const data = new FormData()
  for (const [key, value] of Object.entries<string | undefined>({ ...fields }))
    if (value !== undefined) data.set(key, value)
  data.set(name, file)
  return data
}
