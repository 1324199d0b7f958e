import type { Callback, EventData, Message, MessageEdit } from '@botwright/protocol/shapes'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import { codeOf } from '../../author/error-code.ts'
import { bodyOf, type Outgoing, type OutgoingEphemeral } from '../../author/outgoing.ts'
import type * as author from '../../author/context.ts'
import { Context } from './context.ts'
import { services } from '../services.ts'

/** The person has answered a question: on a click, `reply` goes on when it takes no more answers. */
export let goOnTalking: (ctx: Context) => void

/** The context of a click. A click takes 10 answers within 15 minutes (§3); both are counted here, before anything is sent. */
export class ButtonContext<P = string, S extends author.ServerId = author.ServerId>
  extends Context<EventData<'interaction'>, S>
  implements author.ButtonContext<P, S>
{
  static {
    goOnTalking = (ctx) => {
      if (#talks in ctx) ctx.#talks = true
    }
  }

  params = '' as P
  /** Whether the person has answered a question. */
  #talks = false
  #used = 0

  override get kind(): 'button' {
    return 'button'
  }
  get custom_id(): string {
    return this.event.custom_id
  }
  override get channel_id(): string {
    return this.event.channel_id
  }
  override get answersLeft(): number {
    return limits.interaction.answers - this.#used
  }
  override get deadline(): Date {
    return new Date(this.event.expires_at)
  }

  get isOver(): boolean {
    return this.answersLeft <= 0 || this[services].clock.now() >= this.deadline.getTime()
  }

  override async reply(message: Outgoing): Promise<Message | undefined> {
    if (this.#talks && this.isOver) return this.send(this.channel_id, message)
    const { content, embeds, components } = bodyOf<Exclude<Outgoing, string>>(message) as Exclude<Outgoing, string>
    return this.#answer({ type: 'reply', ...given({ content, embeds, components }) })
  }
  override async update(message: string | MessageEdit): Promise<Message | undefined> {
    return this.#answer({ ...bodyOf(message), type: 'update' })
  }
  override async ephemeral(message: OutgoingEphemeral): Promise<Message | undefined> {
    return this.#answer({ ...bodyOf(message), type: 'ephemeral' })
  }
  override async ack(): Promise<void> {
    await this.#answer({ type: 'ack' })
  }

  async #answer(answer: Callback): Promise<Message | undefined> {
    const { id, token } = this.event
    // A time that cannot be read is no reason to refuse: the service knows.
    if (this[services].clock.now() >= this.deadline.getTime()) throw expired()
    if (this.answersLeft <= 0) throw usedUp()
    this.#used++
    try {
      const input = { interaction_id: id, token, ...answer }
      return (await this[services].call('interactions.callback', input, { priority: 'answer' }))?.message
    } catch (error) {
      // What was refused before it was taken does not count.
      if (notCounted.has(codeOf(error) ?? '')) this.#used--
      throw error
    }
  }
}

const notCounted: ReadonlySet<string> = new Set(['ERR_INVALID_REQUEST', 'ERR_REFUSED', 'ERR_ABORTED'])

const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

const expired = () =>
  new BotwrightError(
    'ERR_INTERACTION_EXPIRED',
    'this click is more than 15 minutes old: post a message with ctx.send instead',
  )
const usedUp = () =>
  new BotwrightError('ERR_ANSWERS_USED_UP', 'this click already has 10 answers: post a message with ctx.send instead')
