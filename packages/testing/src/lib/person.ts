import { BotwrightError, type Message } from '@botwright/protocol'
import { setTimeout as pause } from 'node:timers/promises'

/** What a person sees of a message: a real one, or an ephemeral that only the clicker sees. */
export type Seen = Pick<Message, 'id' | 'channel_id' | 'author_id' | 'author' | 'content' | 'embeds'> & Partial<Message>

/** One answer to a click, as `GET /clicks/{id}` tells it. */
export interface ClickAnswer {
  type: 'reply' | 'ack' | 'ephemeral' | 'update'
  message?: Message
  ephemeral?: Seen
}

interface Click {
  state: 'waiting' | 'answered' | 'failed'
  answers: ClickAnswer[]
}

/** How often, and how long in real time, a person looks for what should come. */
const LOOK_MS = 10
const PATIENCE_MS = 5_000

/**
 * A person on the local service, over real HTTP. `says` and `clicks` wait for the bot's answer
 * and throw when none came within 5 seconds.
 */
export class Person {
  readonly username: string
  readonly id: string
  readonly #base: string
  readonly #token: string
  readonly #whySilent: () => string | undefined
  readonly #channels = new Map<string, string>()

  private constructor(
    base: string,
    token: string,
    person: { id: string; username: string },
    whySilent: () => string | undefined,
  ) {
    this.#base = base
    this.#whySilent = whySilent
    this.#token = token
    this.id = person.id
    this.username = person.username
  }

  /** Signs in by name; `url` is the service's address without a path. `whySilent` explains an answer that never came. */
  static async signIn(
    url: string,
    username: string,
    whySilent: () => string | undefined = () => undefined,
  ): Promise<Person> {
    const base = `${url.replace(/\/$/, '')}/people/v1`
    const response = await fetch(`${base}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username }),
    })
    const { token, person } = (await response.json()) as { token: string; person: { id: string; username: string } }
    return new Person(base, token, person, whySilent)
  }

  /** Any call of the people's side: `person.call('PUT', '/servers/…/members/me')`. Throws with the service's own text. */
  async call<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(this.#base + path, {
      method,
      headers: { authorization: `Person ${this.#token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as T & { error?: string }
    if (!response.ok)
      throw new BotwrightError('ERR_REFUSED', `${method} ${path}: ${response.status} ${answer.error ?? ''}`)
    return answer
  }

  /** Posts a message and does not wait for anything. */
  async posts(
    content: string,
    { channel = 'general', reply_to }: { channel?: string; reply_to?: string } = {},
  ): Promise<Message> {
    const id = await this.#channelId(channel)
    return this.call<Message>('POST', `/channels/${id}/messages`, { content, ...(reply_to && { reply_to }) })
  }

  /** Posts a message and waits for the bot's reply to it. */
  async says(content: string, options: { channel?: string } = {}): Promise<Message> {
    const sent = await this.posts(content, options)
    return this.#eventually(`a reply to "${content}"`, async () => {
      const { messages } = await this.#list(sent.channel_id)
      return messages.find((message) => message.reply_to_id === sent.id && message.author_bot)
    })
  }

  /** Clicks the button with this label and waits for the first visible answer. Throws when the interaction failed. */
  async clicks(message: Seen, label: string): Promise<Seen> {
    const [first] = (await this.clicksThrough(message, label)).filter((answer) => answer.type !== 'ack')
    if (!first) throw new BotwrightError('ERR_NO_ANSWER', `the click on "${label}" was only acknowledged`)
    return (first.message ?? first.ephemeral) as Seen
  }

  /** Clicks the button with this label and gives the answers once `visible` of them (one unless said) can be seen. */
  async clicksThrough(message: Seen, label: string, visible = 1): Promise<ClickAnswer[]> {
    const current = await this.call<Message>('GET', `/channels/${message.channel_id}/messages/${message.id}`)
    const buttons = current.components.flatMap((row) => row.components)
    const wanted = buttons.find((button) => button.label === label || button.emoji === label)
    if (!wanted) {
      const there = buttons.map((button) => button.label ?? button.emoji).join(', ') || 'none'
      throw new BotwrightError('ERR_INVALID_REQUEST', `the message has no button "${label}"; its buttons: ${there}`)
    }
    const path = `/channels/${message.channel_id}/messages/${message.id}/clicks`
    const { interaction_id } = await this.call<{ interaction_id: string }>('POST', path, {
      custom_id: wanted.custom_id,
    })
    return this.#eventually(`an answer to the click on "${label}"`, async () => {
      const click = await this.call<Click>('GET', `/clicks/${interaction_id}`)
      if (click.state === 'failed')
        throw new BotwrightError('ERR_NO_ANSWER', `the click on "${label}": This interaction failed`)
      return click.answers.filter((answer) => answer.type !== 'ack').length >= visible ? click.answers : undefined
    })
  }

  /** The newest messages of a channel, oldest first. */
  async sees(channel = 'general'): Promise<Message[]> {
    return (await this.#list(await this.#channelId(channel))).messages
  }

  async #list(channelId: string) {
    return this.call<{ messages: Message[] }>('GET', `/channels/${channelId}/messages?limit=50`)
  }

  async #channelId(name: string): Promise<string> {
    if (!this.#channels.has(name)) {
      const { servers } = await this.call<{ servers: { id: string }[] }>('GET', '/me')
      for (const server of servers) {
        const { channels } = await this.call<{ channels: { id: string; name: string }[] }>(
          'GET',
          `/servers/${server.id}`,
        )
        for (const channel of channels) this.#channels.set(channel.name, channel.id)
      }
    }
    const id = this.#channels.get(name)
    if (id === undefined) throw new BotwrightError('ERR_INVALID_REQUEST', `${this.username} sees no channel #${name}`)
    return id
  }

  async #eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + PATIENCE_MS
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if (performance.now() > end) {
        const why = this.#whySilent()
        const text = `${this.username} waited ${PATIENCE_MS / 1000} s for ${what}`
        throw new BotwrightError('ERR_NO_ANSWER', why === undefined ? text : `${text}: ${why}`)
      }
      await pause(LOOK_MS)
    }
  }
}
