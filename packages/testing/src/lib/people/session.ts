import { BotwrightError, lowerId } from '@botwright/protocol/facts'
import { lookOf } from '@botwright/protocol/typed-text'
import type { Service, PersonEvent } from '@botwright/service'
import { createPeopleClient, type PeopleCalls, type PeopleClient, type PeopleRequest } from '@botwright/service/people'
import type { Activity } from './activity.ts'
import { ask } from './ask.ts'

type Channel = PeopleCalls['servers']['get']['output']['channels'][number]

type Send = (request: PeopleRequest) => Promise<unknown>

/** Sends requests, with the token of a person if one is signed in. `activity` is notified of them: the clock waits until they end. */
function sender(service: Service, { activity, token, who }: { activity: Activity; token?: string; who: string }): Send {
  const { url, key } = service
  const headers = {
    ...(key !== undefined && { 'x-service-key': key }),
    ...(token !== undefined && { authorization: `Person ${token}` }),
  }
  return async (request) => {
    activity.calls(1)
    try {
      const { status, answer } = await ask(request, { url, headers })
      if (status < 400) return answer
      const { error = '' } = answer as { error?: string }
      throw new BotwrightError('ERR_REFUSED', `${who}: ${request.method} ${request.path}: ${status} ${error}`)
    } finally {
      activity.calls(-1)
    }
  }
}

/** A person who is signed in: calls the service over HTTP as the page does, and receives in this process the events that the page would receive. */
export class Session {
  readonly id: string
  readonly username: string
  /** All events that the person received, in order. */
  readonly told: PersonEvent[] = []
  /** Sends a request to the people's API. Throws `ERR_REFUSED` with the service's own text. */
  readonly send: Send
  readonly api: PeopleClient
  readonly #service: Service
  #direct: Promise<string> | undefined

  private constructor(service: Service, person: { id: string; username: string; token: string }, activity: Activity) {
    const { id, username, token } = person
    this.#service = service
    this.send = sender(service, { activity, token, who: username })
    this.api = createPeopleClient(this.send)
    this.id = id
    this.username = username
    service.observer.person(id, (told) => {
      this.told.push(told)
      activity.touch()
    })
  }

  /** Signs in by name and creates the person if needed. `activity` is notified of the person's events and calls. */
  static async open(service: Service, username: string, activity: Activity): Promise<Session> {
    const known = service.world.people[username]
    if (known) return new Session(service, { username, ...known }, activity)
    const newcomer = createPeopleClient(sender(service, { activity, who: username }))
    const { token, person } = await newcomer.sessions.create({ username })
    return new Session(service, { ...person, token }, activity)
  }

  /** The id of a server by its name; without a name, of the first one. */
  serverId(name?: string): string {
    const { servers } = this.#service.world
    const server = name === undefined ? Object.values(servers)[0] : named(servers, name)?.[1]
    if (server) return server.id
    const names = Object.keys(servers).join(', ') || 'none'
    throw new BotwrightError('ERR_INVALID_REQUEST', `there is no server "${name ?? ''}"; available: ${names}`)
  }

  /** The channels that the person sees now. */
  async channels(): Promise<Channel[]> {
    const { servers } = await this.api.me.get()
    const views = await Promise.all(servers.map(({ id }) => this.api.servers.get({ server_id: id })))
    return views.flatMap(({ channels }) => channels)
  }

  /** The id of a channel that the person sees, by its name, including channels that were created in the meantime; an id is returned as it is. */
  async channelId(name: string): Promise<string> {
    // Channels are shown with their sign.
    const wanted = [name, name.replace(/^#/, '')]
    const { world, observer } = this.#service
    const known = wanted.flatMap((one) => Object.values(world.servers).map(({ channels }) => named(channels, one)?.[1]))
    const id = known.find((one) => one !== undefined && observer.accessOf(this.id, one).channel)
    if (id !== undefined) return id
    const all = await this.channels()
    const [found] = wanted.flatMap(
      (one) => all.find((each) => lookOf(each.name) === lookOf(one) || each.id === lowerId(name)) ?? [],
    )
    if (found) return found.id
    const names = all.map((channel) => `#${channel.name}`).join(', ') || 'none'
    throw new BotwrightError(
      'ERR_INVALID_REQUEST',
      `${this.username} sees no channel ${name.replace(/^#?/, '#')}; sees: ${names}`,
    )
  }

  /** The direct messages with a user. */
  directId(userId: string): Promise<string> {
    return (this.#direct ??= this.api.users.dm({ user_id: userId }).then(({ channel_id }) => channel_id))
  }
}

/** The entry whose name looks like a typed one. */
export const named = <T>(all: Readonly<Record<string, T>>, typed: string): [name: string, value: T] | undefined =>
  Object.entries(all).find(([name]) => lookOf(name) === lookOf(typed))
