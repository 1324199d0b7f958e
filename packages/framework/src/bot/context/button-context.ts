import type { Callback, EventData, Message, MessageEdit } from '@botwright/protocol/shapes'
import { limits } from '@botwright/protocol/facts'
import { codeOf } from '../../author/error-code.ts'
import { bodyOf, type Outgoing, type OutgoingEphemeral } from '../../author/outgoing.ts'
import type * as author from '../../author/context.ts'
import { Context, text } from './context.ts'
import { services } from '../services.ts'
import { ephemeralBody } from './event-context.ts'

/** Marks that the user has answered a question: `reply` then posts messages once the click accepts no more answers. */
export let continueConversation: (ctx: Context) => void

/** The context of a click. The client enforces its 10 answers within 15 minutes (§3); here they are counted for `answersLeft`. */
export class ButtonContext<P = string, S extends author.ServerId = author.ServerId>
  extends Context<EventData<'interaction'>, S>
  implements author.ButtonContext<P, S>
{
  static {
    continueConversation = (ctx) => {
      if (#inConversation in ctx) ctx.#inConversation = true
    }
  }

  params = '' as P
  /** Whether the user has answered a question. */
  #inConversation = false
  #used = 0

  override get kind(): 'button' {
    return 'button'
  }
  get custom_id(): string {
    return text(this.event.custom_id)
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
    if (this.#inConversation && this.isOver) return this.send(this.channel_id, message)
    const { content, embeds, components } = bodyOf<Exclude<Outgoing, string>>(message) as Exclude<Outgoing, string>
    return this.#answer({ type: 'reply', ...withoutUndefined({ content, embeds, components }) })
  }
  override async update(message: string | MessageEdit): Promise<Message | undefined> {
    return this.#answer({ ...bodyOf(message), type: 'update' })
  }
  override async ephemeral(message: OutgoingEphemeral): Promise<Message | undefined> {
    return this.#answer({ ...ephemeralBody(message), type: 'ephemeral' })
  }
  override async ack(): Promise<void> {
    await this.#answer({ type: 'ack' })
  }

  async #answer(answer: Callback): Promise<Message | undefined> {
    const { id, token } = this.event
    this.#used++
    try {
      const input = { interaction_id: id, token, ...answer }
      return (await this[services].call('interactions.callback', input, { priority: 'answer' }))?.message
    } catch (error) {
      // The service did not take this answer.
      if (notCounted.has(codeOf(error) ?? '')) this.#used--
      throw error
    }
  }
}

const notCounted: ReadonlySet<string> = new Set([
  'ERR_ABORTED',
  'ERR_ANSWERS_USED_UP',
  'ERR_INTERACTION_EXPIRED',
  'ERR_INVALID_REQUEST',
  'ERR_REFUSED',
])

const withoutUndefined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
