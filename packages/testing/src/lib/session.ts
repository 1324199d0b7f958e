import { BotwrightError } from '@botwright/protocol/facts'
import type { Service, Told } from '@botwright/service'
import type { Activity } from './activity.ts'
import { ask } from './ask.ts'

interface Place {
  id: string
  name: string
}

const keyOf = ({ key }: Service): Record<string, string> => (key === undefined ? {} : { 'x-service-key': key })

/** A call of a person, which the clock waits for. */
async function during<T>(activity: Activity, call: () => Promise<T>): Promise<T> {
  activity.calls(1)
  try {
    return await call()
  } finally {
    activity.calls(-1)
  }
}

/** A person who is signed in: calls the service over HTTP as the page does, and receives in this process the events that the page would receive. */
export class Session {
  readonly id: string
  readonly username: string
  /** All events that the person received, in order. */
  readonly told: Told[] = []
  readonly #service: Service
  readonly #token: string
  readonly #activity: Activity
  #direct: Promise<string> | undefined

  private constructor(service: Service, person: { id: string; username: string; token: string }, activity: Activity) {
    this.#service = service
    this.#activity = activity
    this.#token = person.token
    this.id = person.id
    this.username = person.username
    service.tap.person(person.id, (told) => {
      this.told.push(told)
      activity.touch()
    })
  }

  /** Signs in by name and creates the person if needed. `activity` is notified of the person's events and calls. */
  static async open(service: Service, username: string, activity: Activity): Promise<Session> {
    const known = service.world.people[username]
    if (known) return new Session(service, { username, ...known }, activity)
    const { ok, status, answer } = await during(activity, () =>
      ask<{ token: string; person: { id: string; username: string } }>(`${service.url}/people/v1/sessions`, {
        method: 'POST',
        headers: keyOf(service),
        body: { username },
      }),
    )
    const { token, person, error } = answer
    if (!ok) throw new BotwrightError('ERR_REFUSED', `${username} cannot sign in: ${error ?? status}`)
    return new Session(service, { ...person, token }, activity)
  }

  /** Any call of the API for people. Throws `ERR_REFUSED` with the service's own text. */
  async call<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const headers = { ...keyOf(this.#service), authorization: `Person ${this.#token}` }
    const url = `${this.#service.url}/people/v1${path}`
    const { ok, status, answer } = await during(this.#activity, () => ask<T>(url, { method, headers, body }))
    if (ok) return answer
    throw new BotwrightError('ERR_REFUSED', `${this.username}: ${method} ${path}: ${status} ${answer.error ?? ''}`)
  }

  /** The id of a server by its name; without a name, of the first one. */
  serverId(name?: string): string {
    const { servers } = this.#service.world
    const server = name === undefined ? Object.values(servers)[0] : servers[name]
    if (server) return server.id
    const names = Object.keys(servers).join(', ') || 'none'
    throw new BotwrightError('ERR_INVALID_REQUEST', `there is no server "${name ?? ''}"; available: ${names}`)
  }

  /** The channels that the person sees now. */
  async channels(): Promise<Place[]> {
    const { servers } = await this.call<{ servers: Place[] }>('GET', '/me')
    const views = await Promise.all(servers.map(({ id }) => this.call<{ channels: Place[] }>('GET', `/servers/${id}`)))
    return views.flatMap(({ channels }) => channels)
  }

  /** The id of a channel by its name, including channels that were created in the meantime; an id is returned as it is. */
  async channelId(name: string): Promise<string> {
    for (const server of Object.values(this.#service.world.servers)) {
      const id = server.channels[name]
      if (id !== undefined) return id
    }
    const all = await this.channels()
    const found = all.find((channel) => channel.name === name || channel.id === name)
    if (found) return found.id
    const names = all.map((channel) => `#${channel.name}`).join(', ') || 'none'
    throw new BotwrightError('ERR_INVALID_REQUEST', `${this.username} sees no channel #${name}; sees: ${names}`)
  }

  /** The direct messages with a user. */
  directId(userId: string): Promise<string> {
    return (this.#direct ??= this.call<{ channel_id: string }>('POST', `/users/${userId}/dm`).then(
      ({ channel_id }) => channel_id,
    ))
  }
}
