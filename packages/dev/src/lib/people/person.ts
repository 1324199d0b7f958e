import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Message } from '@botwright/protocol/shapes'
import { lookOf } from '@botwright/protocol/typed-text'
import { createPeopleClient, fetchPeople, type PeopleRequest, type ServerView } from '@botwright/service/people'
import { addressName } from '../local-service/service-access.ts'
import { keyOf, noResponse, readResponse } from './service-response.ts'

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
  readonly service: URL
  #token: string | undefined
  readonly username: string
  id = ''
  /** The people's API. Its methods reject with `ERR_REFUSED` and the service's own text, or `ERR_CONFIG` if it cannot be reached. */
  readonly api = createPeopleClient((request) => this.#call(request))

  /** `--service`, for commands in messages. */
  readonly #given: string | undefined

  private constructor(service: URL, username: string, given?: string) {
    this.service = service
    this.username = username
    this.#given = given
  }

  /** Signs in; a new name creates a person. `given`: `--service`. */
  static async signIn(service: URL, username: string, given?: string): Promise<PersonAtService> {
    const person = new PersonAtService(service, username, given)
    const session = await person.api.sessions.create({ username })
    person.#token = session.token
    person.id = session.person.id
    return person
  }

  /** Signs in as the person who has been there the longest. Rejects with `ERR_CONFIG` if there is none. */
  static async signInFirst(service: URL): Promise<PersonAtService> {
    const [first] = await PersonAtService.names(service)
    if (first !== undefined) return PersonAtService.signIn(service, first)
    throw new BotwrightError('ERR_CONFIG', `there are no people at ${service.host}`)
  }

  /** The usernames of all people at a service, from the one who has been there the longest. */
  static async names(service: URL): Promise<string[]> {
    const { people } = await new PersonAtService(service, '').api.sessions.list()
    return people.map(({ username }) => username)
  }

  async #call(request: PeopleRequest): Promise<unknown> {
    return readResponse(await this.request(request), this.service, `${request.method} ${request.path}`)
  }

  /** Sends one request; the caller reads the response. Rejects with `ERR_CONFIG` if the service cannot be reached. */
  request(request: PeopleRequest, signal?: AbortSignal): Promise<Response> {
    const access = { origin: this.service.origin, key: keyOf(this.service), token: this.#token }
    return fetchPeople(request, access, signal).catch((cause: unknown) => {
      throw noResponse(this.service, cause)
    })
  }

  /** A channel by its name, in the first server that has it. Rejects with `ERR_CONFIG`, naming the channels. */
  async channel(name: string): Promise<Place> {
    const all = (await this.servers()).flatMap(({ channels }) => channels.filter(({ type }) => type === 'text'))
    const typed = lookOf(name)
    // People and agents also type the sign that channels are shown with.
    const found = [typed, typed.replace(/^#/, '')].flatMap(
      (one) => all.find((channel) => lookOf(channel.name) === one) ?? [],
    )[0]
    if (found) return { id: found.id, title: `#${found.name}` }
    const known = all.map((one) => one.name)
    throw new BotwrightError(
      'ERR_CONFIG',
      known.length === 0
        ? this.inNoServer
        : `this person cannot see a channel "${name}"; choose one of ${known.join(', ')} with --in`,
    )
  }

  /** The problem of a person who is not in any server, with its fix. */
  get inNoServer(): string {
    const service = this.#given === undefined ? '' : ` --service ${this.#given}`
    return `${this.username} is not in any server: run "framework join ${this.username}${service}" first`
  }

  /** The servers that this person is in. */
  async servers(): Promise<ServerView[]> {
    const { servers } = await this.api.me.get()
    return Promise.all(servers.map(({ id }) => this.api.servers.get({ server_id: id })))
  }

  /** The servers that any person at this service is in. */
  async serversOfAll(): Promise<ServerView[]> {
    const views = new Map<string, ServerView>()
    for (const username of await PersonAtService.names(this.service)) {
      const person = await PersonAtService.signIn(this.service, username)
      for (const view of await person.servers()) views.set(view.server.id, view)
    }
    return [...views.values()]
  }

  /** The newest messages of a channel, the newest first. */
  async messages(channelId: string): Promise<Message[]> {
    const { messages } = await this.api.messages.list({ channel_id: channelId, limit: 100 })
    return messages.reverse()
  }
}
