import type { Author, Message, PublicProfile, Server } from '@botwright/protocol'
import type { ClickAnswer, ClickState, Dm, Person, ServerView } from '../people.ts'

/** The service refused a call: `message` is its error text, `retrySeconds` its `Retry-After` (§7). */
export class Refused extends Error {
  readonly status: number
  readonly retrySeconds: number | undefined
  constructor(status: number, message: string, retrySeconds?: number) {
    super(message)
    this.status = status
    this.retrySeconds = retrySeconds
  }
}

const keyStore = 'botwright-key'
/** The key of this run, if the service requires one. The printed URL carries it; the page stores it for other tabs and removes it from the URL. */
function readKey(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('key')
  if (given !== null) {
    localStorage.setItem(keyStore, given)
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return given ?? localStorage.getItem(keyStore) ?? undefined
}
const key = readKey()

let token: string | undefined
/** Sets the token that later calls send. */
export const useToken = (value: string | undefined): void => {
  token = value
}

/** The URL of the live feed, credentials included: an EventSource cannot set headers. */
export const streamAddress = (ofToken: string): string =>
  `/people/v1/stream?${new URLSearchParams({ token: ofToken, ...(key !== undefined && { key }) })}`

const errorText = async (response: Response): Promise<string> => {
  const body = (await response.json().catch(() => undefined)) as { error?: unknown } | undefined
  return typeof body?.error === 'string' ? body.error : `The service responded with status ${response.status}.`
}

/** One call of the people's API; `path` is relative to `/people/v1`. Sends forms as multipart, everything else as JSON. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {}
  if (key !== undefined) headers['x-service-key'] = key
  if (token !== undefined) headers.authorization = `Person ${token}`
  const init: RequestInit = { method, headers, credentials: 'omit' }
  if (body instanceof FormData || body instanceof Blob) init.body = body
  else if (body !== undefined) {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(body)
  }
  const response = await fetch(`/people/v1${path}`, init).catch(() => {
    throw new Refused(0, 'The chat service is not responding. Is it still running?')
  })
  if (!response.ok) {
    const wait = Number(response.headers.get('retry-after') ?? NaN)
    throw new Refused(response.status, await errorText(response), Number.isNaN(wait) ? undefined : wait)
  }
  return (await response.json()) as T
}

type MessagePage = { messages: Message[]; authors: Author[] }
type SearchQuery = {
  text: string
  limit?: number
  server_id?: string | undefined
  channel_id?: string | undefined
  author_id?: string | undefined
  before?: number | undefined
}
type Place = { channel_id: string; id: string }
type Draft = { content: string; reply_to?: string }
const messagesPath = (channelId: string): string => `/channels/${channelId}/messages`
const messagePath = (at: Place): string => `${messagesPath(at.channel_id)}/${at.id}`

/** A message with a picture is sent as a form: its fields as text, the picture as `file`. */
function form(draft: Draft, picture: File): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(draft)) data.set(name, value)
  data.set('file', picture)
  return data
}

/** The data that the page loads after sign-in. */
export type Me = {
  person: Person
  servers: Server[]
  dms: Dm[]
  newest: { channel_id: string; server_id: string | null; at: string }[]
  picture_hosts: string[]
}
export type ProfileChanges = { display_name?: string | null; bio?: string; accepts_dms?: boolean }

/** The calls of the people's API that the page makes. */
export const api = {
  people: () => call<{ people: Author[] }>('GET', '/sessions'),
  signIn: (username: string) => call<{ token: string; person: Person }>('POST', '/sessions', { username }),
  me: () => call<Me>('GET', '/me'),
  unread: (readUntil: Record<string, string>) =>
    call<{ channels: { channel_id: string; messages: number; mentions: number }[] }>('POST', '/me/unread', {
      read_until: readUntil,
    }),
  updateMe: (changes: ProfileChanges) => call<{ person: Person }>('PATCH', '/me', changes),
  servers: () => call<{ servers: (Server & { member: boolean })[] }>('GET', '/servers'),
  createServer: (name: string) => call<{ server: Server }>('POST', '/servers', { name }),
  join: (serverId: string) => call('PUT', `/servers/${serverId}/members/me`),
  leave: (serverId: string) => call('DELETE', `/servers/${serverId}/members/me`),
  server: (serverId: string) => call<ServerView>('GET', `/servers/${serverId}`),
  messages: (channelId: string, limit: number, before?: string) =>
    call<MessagePage>(
      'GET',
      `${messagesPath(channelId)}?limit=${limit}${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`,
    ),
  search: (query: SearchQuery) => {
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
    return call<MessagePage & { next: number | null }>('GET', `/messages?${new URLSearchParams(given)}`)
  },
  pins: (channelId: string) => call<MessagePage>('GET', `/channels/${channelId}/pins`),
  message: (at: Place) => call<Message>('GET', messagePath(at)),
  send: (channelId: string, draft: Draft) => call<Message>('POST', messagesPath(channelId), draft),
  sendPicture: (channelId: string, draft: Draft, picture: File) =>
    call<Message>('POST', messagesPath(channelId), form(draft, picture)),
  edit: (at: Place, content: string) => call<Message>('PATCH', messagePath(at), { content }),
  remove: (at: Place) => call('DELETE', messagePath(at)),
  pin: (at: Place, on: boolean) => call(on ? 'PUT' : 'DELETE', `${messagePath(at)}/pin`),
  react: (at: Place, emoji: string, on: boolean) =>
    call(on ? 'PUT' : 'DELETE', `${messagePath(at)}/reactions/${encodeURIComponent(emoji)}`),
  click: (at: Place, customId: string) =>
    call<{ interaction_id: string }>('POST', `${messagePath(at)}/clicks`, { custom_id: customId }),
  clickState: (id: string) => call<{ state: ClickState; answers: ClickAnswer[] }>('GET', `/clicks/${id}`),
  user: (userId: string) => call<PublicProfile>('GET', `/users/${userId}`),
  openDm: (userId: string) => call<{ channel_id: string }>('POST', `/users/${userId}/dm`),
  voice: (channelId: string, on: boolean) => call(on ? 'PUT' : 'DELETE', `/channels/${channelId}/voice`),
  report: (messageId: string, reason: string) => call('POST', '/reports', { message_id: messageId, reason }),
}
