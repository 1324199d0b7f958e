import type { Delivery } from '@botwright/events/event'
import type { Callback, EventData, Message, MessageEdit } from '@botwright/protocol/shapes'
import { limits } from '@botwright/protocol/facts'
import { endsAnswers, hasCode } from '../../author/error-code.ts'
import { bodyOf, type Outgoing, type OutgoingEphemeral } from '../../author/outgoing.ts'
import type * as author from '../../author/context.ts'
import { callOfRun, partOfCall } from './bot-context.ts'
import { Context, ephemeralBody, text } from './context.ts'
import { type BotServices, services } from '../services.ts'

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
  /** Whether it is known that the framework has acknowledged the click or not: it does so only before the first answer. */
  #isAckKnown = false
  /** When the service stops accepting answers, by the monotonic clock: the host's time may be wrong, or change meanwhile. */
  readonly #endMs: number

  constructor(delivery: Delivery, botServices: BotServices, file: string) {
    super(delivery, botServices, file)
    // Where the rest of its time is not measured, as in a durable run, the service decides: the clock of the host may be wrong.
    const { openMs = Infinity, answersUsed = 0 } = delivery
    this.#used = answersUsed
    this.#endMs = botServices.clock.monotonic() + Math.min(openMs, limits.interaction.open_seconds * 1000)
  }

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
    return this.answersLeft <= 0 || this[services].clock.monotonic() >= this.#endMs
  }

  override async reply(message: Outgoing): Promise<Message | undefined> {
    const { content, embeds, components } = bodyOf<Exclude<Outgoing, string>>(message) as Exclude<Outgoing, string>
    if (!this.#inConversation || !this.isOver)
      try {
        return await this.#answer({ type: 'reply', ...withoutUndefined({ content, embeds, components }) })
      } catch (error) {
        if (!this.#inConversation || !endsAnswers(error)) throw error
      }
    // Not `send`, which comes after replies and waits for the end of quiet hours: a person waits for this message.
    return this.api.messages.create({ ...bodyOf(message), channel_id: this.channel_id })
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
      const answered = await this[callOfRun]('interactions.callback', input, { priority: 'answer' })
      await this[partOfCall](() => this.#countAck())
      return answered?.message
    } catch (error) {
      // Otherwise the service did not take this answer. An ack whose outcome is unknown was sent again, in vain.
      if (!hasCode(error, answer.type === 'ack' ? 'ERR_NO_ANSWER' : 'ERR_UNKNOWN_OUTCOME')) this.#used--
      if (endsAnswers(error)) this.#used = limits.interaction.answers
      throw error
    }
  }

  /** The ack of the framework is one of the ten answers. */
  async #countAck(): Promise<void> {
    if (this.#isAckKnown) return
    this.#isAckKnown = true
    const { answersLeft, clock, run } = this[services]
    const clickedMs = this.#endMs - limits.interaction.open_seconds * 1000
    // The record of a durable handler has everything that it reads.
    if (!answersLeft || run || clock.monotonic() - clickedMs < MAY_BE_ACKED_MS) return
    this.#used = Math.max(this.#used, limits.interaction.answers - (await answersLeft(this.event.id)))
  }
}

/** The framework acknowledges a click 2 s after it was made; its time may not be known exactly. */
const MAY_BE_ACKED_MS = 1000

const withoutUndefined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
