import type { Author, Message, Server } from '@botwright/protocol'
import type { ClickAnswer, ClickState, Dm, Person, ServerView } from '../people.ts'

/** The service said no: `message` is its own error text, `retrySeconds` its `Retry-After` (§7). */
export class Refused extends Error {
  readonly status: number
  readonly retrySeconds: number | undefined
  constructor(status: number, message: string, retrySeconds?: number) {
    super(message)
    this.status = status
    this.retrySeconds = retrySeconds
  }
}

let token: string | undefined
/** Whose calls these are from now on. */
export const useToken = (value: string | undefined): void => {
  token = value
}

const errorText = async (response: Response): Promise<string> => {
  const body = (await response.json().catch(() => undefined)) as { error?: unknown } | undefined
  return typeof body?.error === 'string' ? body.error : `The service answered ${response.status}`
}

/** One call of the people's side; `path` is below `/people/v1`. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {}
  if (token !== undefined) headers.authorization = `Person ${token}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  const init: RequestInit = { method, headers, credentials: 'omit' }
  if (body !== undefined) init.body = JSON.stringify(body)
  const response = await fetch(`/people/v1${path}`, init).catch(() => {
    throw new Refused(0, 'The chat service does not answer. Is it still running?')
  })
  if (!response.ok) {
    const wait = Number(response.headers.get('retry-after') ?? NaN)
    throw new Refused(response.status, await errorText(response), Number.isNaN(wait) ? undefined : wait)
  }
  return (await response.json()) as T
}

type MessagePage = { messages: Message[]; authors: Author[] }
const messagePath = (message: { channel_id: string; id: string }): string =>
  `/channels/${message.channel_id}/messages/${message.id}`
type Place = { channel_id: string; id: string }

/** The calls of the people's side that the page makes. */
export const api = {
  signIn: (username: string) => call<{ token: string; person: Person }>('POST', '/sessions', { username }),
  me: () => call<{ person: Person; servers: Server[]; dms: Dm[] }>('GET', '/me'),
  servers: () => call<{ servers: (Server & { member: boolean })[] }>('GET', '/servers'),
  createServer: (name: string) => call<{ server: Server }>('POST', '/servers', { name }),
  join: (serverId: string) => call('PUT', `/servers/${serverId}/members/me`),
  server: (serverId: string) => call<ServerView>('GET', `/servers/${serverId}`),
  messages: (channelId: string, before?: string) =>
    call<MessagePage>(
      'GET',
      `/channels/${channelId}/messages?limit=50${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`,
    ),
  message: (at: Place) => call<Message>('GET', messagePath(at)),
  send: (channelId: string, body: { content: string; reply_to?: string }) =>
    call<Message>('POST', `/channels/${channelId}/messages`, body),
  edit: (at: Place, content: string) => call<Message>('PATCH', messagePath(at), { content }),
  remove: (at: Place) => call('DELETE', messagePath(at)),
  react: (at: Place, emoji: string, on: boolean) =>
    call(on ? 'PUT' : 'DELETE', `${messagePath(at)}/reactions/${encodeURIComponent(emoji)}`),
  click: (at: Place, customId: string) =>
    call<{ interaction_id: string }>('POST', `${messagePath(at)}/clicks`, { custom_id: customId }),
  clickState: (id: string) => call<{ state: ClickState; answers: ClickAnswer[] }>('GET', `/clicks/${id}`),
  openDm: (userId: string) => call<{ channel_id: string }>('POST', `/users/${userId}/dm`),
  voice: (channelId: string, on: boolean) => call(on ? 'PUT' : 'DELETE', `/channels/${channelId}/voice`),
}
