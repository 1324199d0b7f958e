import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import type { ServerView } from '@botwright/service/people'
import { addressName } from '../service-access.ts'

/** A message as the people's side returns it. */
export interface PersonMessage {
  id: string
  channel_id: string
  author_id: string
  content: string
  components?: { components: { label?: string; emoji?: string; custom_id?: string }[] }[] | null
}

/** A channel, and its name as people read it: `#general`, `direct messages`. */
export interface Place {
  id: string
  title: string
}

/**
 * The address of the local service: `--service`, which may end in `#key=…`, or that of the `framework dev` in this folder.
 * Rejects with `ERR_CONFIG`.
 */
export async function findService(root: string, given: string | undefined): Promise<URL> {
  const text = given ?? (await readFile(join(root, '.botwright', addressName), 'utf8').catch(() => undefined))
  if (text === undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      'no "framework dev" is running in this folder: start it, or pass the address of a local service with --service',
    )
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new BotwrightError('ERR_CONFIG', '--service must be an address, such as http://127.0.0.1:7420')
}

/** A person at a local service, signed in through the people's side. */
export class PersonAtService {
  readonly #service: URL
  #token: string | undefined
  readonly username: string
  id = ''

  private constructor(service: URL, username: string) {
    this.#service = service
    this.username = username
  }

  /** Signs in; a new name creates a person. */
  static async signIn(service: URL, username: string): Promise<PersonAtService> {
    const person = new PersonAtService(service, username)
    const session = await person.call<{ token: string; person: { id: string } }>('POST', '/sessions', { username })
    person.#token = session.token
    person.id = session.person.id
    return person
  }

  /** Calls the people's side. Rejects with `ERR_REFUSED` and the service's own text, or `ERR_CONFIG` if it cannot be reached. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.request(method, path, { ...(body && { body }) })
    const text = await answer.text()
    if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T
    const fact =
      answer.status === 401
        ? `${text}; if the service was started with --key, pass its whole address with --service`
        : text
    throw new BotwrightError('ERR_REFUSED', `${method} ${path}: ${answer.status} ${fact}`)
  }

  /** Sends one request; the caller reads the response. Rejects with `ERR_CONFIG` if the service cannot be reached. */
  async request(method: string, path: string, more: { body?: object; signal?: AbortSignal } = {}): Promise<Response> {
    const { origin, hash } = this.#service
    const { body, signal } = more
    try {
      return await fetch(`${origin}/people/v1${path}`, {
        method,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(this.#token !== undefined && { authorization: `Person ${this.#token}` }),
          ...(hash.startsWith('#key=') && { 'x-service-key': hash.slice('#key='.length) }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
    } catch (error) {
      throw new BotwrightError(
        'ERR_CONFIG',
        `${origin} does not respond: start framework dev again, or correct --service`,
        { cause: error },
      )
    }
  }

  /** A channel by its name, in the first server that has it. Rejects with `ERR_CONFIG`, naming the channels. */
  async channel(name: string): Promise<Place> {
    const known: string[] = []
    for (const { channels } of await this.servers()) {
      const texts = channels.filter(({ type }) => type === 'text')
      const found = texts.find((one) => one.name === name)
      if (found) return { id: found.id, title: `#${name}` }
      known.push(...texts.map((one) => one.name))
    }
    throw new BotwrightError(
      'ERR_CONFIG',
      known.length === 0
        ? 'this person is in no server: join one with framework join'
        : `there is no channel "${name}" that this person sees; choose one of ${known.join(', ')} with --in`,
    )
  }

  /** The servers that this person is in. */
  async servers(): Promise<ServerView[]> {
    const { servers } = await this.call<{ servers: { id: string }[] }>('GET', '/me')
    return Promise.all(servers.map(({ id }) => this.call<ServerView>('GET', `/servers/${id}`)))
  }

  /** The newest messages of a channel, the newest first. */
  async messages(channelId: string): Promise<PersonMessage[]> {
    const { messages } = await this.call<{ messages: PersonMessage[] }>(
      'GET',
      `/channels/${channelId}/messages?limit=100`,
    )
    return messages.reverse()
  }
}
