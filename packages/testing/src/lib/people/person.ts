import type { Message } from '@botwright/protocol'
import { BotwrightError } from '@botwright/protocol/facts'
import { createPeopleClient, type PeopleClient } from '@botwright/service/people'
import { Answer } from './answer.ts'
import { seen } from './bot-actions.ts'
import { buttonsOf, faceOf, isCalled, type Seen } from './seen.ts'
import type { Session } from './session.ts'
import type { Stage } from './stage.ts'

/** The target of an action: a message, or the message that an answer shows. */
export type Target = Answer | Pick<Seen, 'id' | 'channel_id'>

/** Where a person is: a channel by its name, the direct messages with the bot (null), or the default channel (undefined). */
type Place = string | null | undefined

/** How many messages a person looks through. */
const LOOK_BACK = 50

/**
 * A person on the service. Nothing happens until you call an action, so one line is a whole step:
 * `await chat.person('ann').in('general').says('/ping')`. An action resolves when the bot is idle again,
 * with the bot's answer; it throws the error of a failed handler.
 */
export class Person {
  readonly username: string
  readonly #stage: Stage
  readonly #place: Place

  /** @internal */
  constructor(stage: Stage, username: string, place?: Place) {
    this.#stage = stage
    // As the service keeps it.
    this.username = stage.nameOf(username)
    this.#place = place
  }

  /** The same person in another channel, by its name, with or without `#`. Voice channels and channels made by the bot work too. */
  in(channel: string): Person {
    return new Person(this.#stage, this.username, channel)
  }

  /** The same person in the direct messages with the bot. */
  dm(): Person {
    return new Person(this.#stage, this.username, null)
  }

  /** The person's id. The id of a newcomer is known after the first action. */
  get id(): string {
    const id = this.#stage.idOf(this.username)
    if (id !== undefined) return id
    throw new BotwrightError(
      'ERR_INVALID_REQUEST',
      `${this.username} is not in the world: await ${this.username}.known()`,
    )
  }

  /** Signs in, and returns the id: for newcomers, who are not part of the world. */
  async known(): Promise<string> {
    return (await this.#session()).id
  }

  /** Writes a message, and returns the bot's answer. `reply_to`: the message to reply to. */
  async says(content: string, { reply_to }: { reply_to?: Target } = {}): Promise<Answer> {
    // prose-ok: said
    return this.#upon(`said "${content}"`, async (session) => (await this.#post(session, content, reply_to)).id)
  }

  /** Replies to a message. */
  replies(to: Target, content: string): Promise<Answer> {
    return this.says(content, { reply_to: to })
  }

  /** Writes a message without waiting. If a handler throws, `chat.settled()` throws its error. */
  async posts(content: string, { reply_to }: { reply_to?: Target } = {}): Promise<Message> {
    return this.#post(await this.#session(), content, reply_to)
  }

  /**
   * Clicks the button with this label or emoji: of the newest message here that has one, or of the given message.
   * Throws `ERR_INVALID_REQUEST`, with a list of the buttons, if there is none with that name.
   */
  async clicks(button: string, on?: Target): Promise<Answer> {
    return this.#upon(`clicked [${button}]`, async (session) => {
      const { message, custom_id } = await this.#findButton(session, button, on)
      return (await session.api.clicks.create({ ...at(message), custom_id })).interaction_id
    })
  }

  /** Reacts to the newest message of the bot here, or to the given message. */
  reacts(emoji: string, to?: Target): Promise<Answer> {
    return this.#reacts('add', emoji, to)
  }

  /** Removes a reaction. */
  unreacts(emoji: string, to?: Target): Promise<Answer> {
    return this.#reacts('remove', emoji, to)
  }

  /** Edits one of the person's own messages. */
  edits(message: Target, content: string): Promise<Answer> {
    return this.#upon(`edited a message to "${content}"`, async (session) => {
      await session.api.messages.update({ ...at(message), content })
      return undefined
    })
  }

  /** Deletes a message. */
  deletes(message: Target): Promise<Answer> {
    return this.#upon('deleted a message', async (session) => {
      await session.api.messages.delete(at(message))
      this.#stage.removed.add(message.id.toLowerCase())
      return undefined
    })
  }

  /** Joins a server, by its name. Default: the first one. */
  async joins(server?: string): Promise<Answer> {
    const session = await this.#stage.session(this.username, { joins: true })
    return this.#stage.upon(session, `${this.username} joined`, async () => {
      await session.api.servers.join({ server_id: session.serverId(server) })
      return undefined
    })
  }

  /** Leaves a server. Those who stay see the bot's messages about it. */
  leaves(server?: string): Promise<Answer> {
    return this.#upon('left', async (session) => {
      await session.api.servers.leave({ server_id: session.serverId(server) })
      return undefined
    })
  }

  /** Joins the voice channel: `ann.in('Lounge').joinsVoice()`. */
  joinsVoice(): Promise<Answer> {
    return this.#voice('join', 'joined the voice channel')
  }

  leavesVoice(): Promise<Answer> {
    return this.#voice('leave', 'left the voice channel')
  }

  /** The bot's actions while the callback runs: `await ann.watches(() => chat.clock.advance({ minutes: 10 }))`. */
  async watches(during: () => Promise<unknown>, what = 'watched'): Promise<Answer> {
    return this.#upon(what, async () => {
      await during()
      return undefined
    })
  }

  /** The newest messages here, oldest first. */
  async sees(): Promise<Seen[]> {
    const session = await this.#session()
    return this.#newest(session, await this.#channelId(session))
  }

  /** The names of the channels that the person can see. */
  async channels(): Promise<string[]> {
    return (await (await this.#session()).channels()).map(({ name }) => name)
  }

  /** Every call of the API for people: `ann.api.roles.create({ server_id, name: 'mods' })`. Throws with the service's own text. */
  get api(): PeopleClient {
    return createPeopleClient(async (request) => (await this.#session()).send(request))
  }

  #session(): Promise<Session> {
    return this.#stage.session(this.username)
  }

  async #upon(what: string, act: (session: Session) => Promise<string | undefined>): Promise<Answer> {
    const session = await this.#session()
    return this.#stage.upon(session, `${this.username} ${what}`, () => act(session))
  }

  async #channelId(session: Session): Promise<string> {
    return this.#place === null ? session.directId(this.#stage.botId) : session.channelId(this.#channel())
  }

  async #post(session: Session, content: string, reply_to: Target | undefined): Promise<Message> {
    const channel = reply_to?.channel_id ?? (await this.#channelId(session))
    const reply = reply_to && { reply_to: reply_to.id }
    const message = await session.api.messages.create({ channel_id: channel, content, ...reply })
    this.#stage.written(this.username, message)
    return message
  }

  async #reacts(act: 'add' | 'remove', emoji: string, to: Target | undefined): Promise<Answer> {
    return this.#upon(act === 'add' ? `reacted with ${emoji}` : `took ${emoji} back`, async (session) => {
      const target = to ?? (await this.#newestOfBot(session))
      await session.api.reactions[act]({ ...at(target), emoji })
      return undefined
    })
  }

  #voice(act: 'join' | 'leave', what: string): Promise<Answer> {
    return this.#upon(`${what} ${this.#channel()}`, async (session) => {
      await session.api.voice[act]({ channel_id: await this.#channelId(session) })
      return undefined
    })
  }

  async #newest(session: Session, channelId: string): Promise<Seen[]> {
    const { messages } = await session.api.messages.list({ channel_id: channelId, limit: LOOK_BACK })
    return messages.map(seen)
  }

  async #newestOfBot(session: Session): Promise<Seen> {
    const all = await this.#newest(session, await this.#channelId(session))
    const found = all.findLast(({ author_id }) => author_id === this.#stage.botId)
    if (found) return found
    throw new BotwrightError('ERR_INVALID_REQUEST', `${this.username} sees no message from the bot ${this.#where()}`)
  }

  async #findButton(session: Session, name: string, on: Target | undefined) {
    const candidates = await this.#clickable(session, on)
    for (const message of candidates.toReversed()) {
      const found = buttonsOf(message).find((button) => isCalled(button, name))
      if (found?.custom_id !== undefined) return { message, custom_id: found.custom_id }
    }
    const there = candidates.flatMap(buttonsOf).map((button) => `[${faceOf(button)}]`)
    const where = on ? 'the message' : this.#where()
    throw new BotwrightError(
      'ERR_INVALID_REQUEST',
      `${this.username} sees no button [${name}] ${on ? 'on' : ''} ${where}; available: ${there.join(' ') || 'none'}`.replace(
        '  ',
        ' ',
      ),
    )
  }

  /** Messages that may have the button, as they are now. */
  async #clickable(session: Session, on: Target | undefined): Promise<Seen[]> {
    if (!on) return this.#newest(session, await this.#channelId(session))
    const given = on instanceof Answer ? on.messages.filter(({ ephemeral }) => !ephemeral) : [on]
    const targets = given.length > 0 ? given : [on]
    return Promise.all(targets.map(async (one) => seen(await session.api.messages.get(at(one)))))
  }

  #where(): string {
    return this.#place === null ? 'in the direct messages' : `in ${this.#channel().replace(/^#?/, '#')}`
  }

  /** By default, people are in #general, or in the first channel of the first server if there is no #general. */
  #channel(): string {
    if (typeof this.#place === 'string') return this.#place
    const [server] = Object.values(this.#stage.service.world.servers)
    const names = Object.keys(server?.channels ?? {})
    return names.includes('general') ? 'general' : (names[0] ?? 'general')
  }
}

const at = ({ channel_id, id }: Target) => ({ channel_id, message_id: id })
