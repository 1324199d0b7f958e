// The base class of `ctx`. The contexts of commands, messages, clicks and events extend it.

import type { Message, MessageCreate, MessageEdit } from '@botwright/protocol/shapes'
import { BotwrightError, lowerId } from '@botwright/protocol/facts'
import { type BotEvent, type Delivery, eventKey } from '@botwright/events/event'
import type { Call, Client } from '@botwright/rest'
import { createClient } from '@botwright/rest/client'
import type * as author from '../../author/context.ts'
import { bodyOf, type Outgoing, type OutgoingEphemeral } from '../../author/outgoing.ts'
import type { Arg } from '../../author/args/arg.ts'
import type { AskOptions, ClickOptions } from '../../author/ask-options.ts'
import { services, type BotServices } from '../services.ts'
import { callOfRun, nameOf, onPost, runKey, owner } from './bot-context.ts'
import type { Streamed, StreamOptions } from '../../author/sending/stream.ts'
import { PassedCooldowns } from '../../author/passed-cooldowns.ts'
import { HandlerContext } from './handler-context.ts'
import type { Owner } from '../../author/state/scope.ts'

type Data = Record<string, unknown>

/** The context of any event handler. */
export abstract class Context<D extends Data = Data, S extends author.ServerId = author.ServerId>
  extends HandlerContext
  implements author.Context<D, S>
{
  abstract get kind(): 'command' | 'button' | 'event'
  readonly #delivery: Delivery
  #cooldown: PassedCooldowns | undefined

  constructor(delivery: Delivery, botServices: BotServices, file: string) {
    super(botServices, file)
    this.#delivery = delivery
  }

  isCommand(): this is this & author.AsCommand {
    return this.kind === 'command'
  }
  isClick(): this is this & author.AsClick {
    return this.kind === 'button'
  }

  abstract reply(message: Outgoing): Promise<Message | undefined>
  abstract update(message: string | MessageEdit): Promise<Message | undefined>
  abstract ephemeral(message: OutgoingEphemeral): Promise<Message | undefined>
  abstract ack(): Promise<void>

  get event(): D {
    return this.#delivery.event.data as D
  }
  get events(): readonly D[] {
    return this.#delivery.burst?.events.map(({ data }) => data as D) ?? [this.event]
  }
  get envelope(): BotEvent {
    return this.#delivery.event
  }
  get user(): author.Person {
    return { id: text(this.event['user_id']), name: text(this.event['username']) }
  }
  get author(): author.Person {
    return this.user
  }
  get channel_id(): string | null {
    return nullable(this.event['channel_id'])
  }
  get server_id(): S {
    return nullable(this.event['server_id']) as S
  }
  protected override get [owner](): Owner {
    const { user, channel_id, server_id } = this
    return { user_id: user.id, ...(channel_id !== null && { channel_id }), ...(server_id !== null && { server_id }) }
  }
  protected override [nameOf](id: string): string | undefined {
    const { user, channel_id, event } = this
    if (id === user.id) return user.name || undefined
    const channel = text(event['channel_name'])
    return id === channel_id && channel !== '' ? `#${channel}` : undefined
  }
  get redelivered(): boolean {
    return this.#delivery.attempt > 1
  }
  get answersLeft(): number {
    return Infinity
  }
  get deadline(): Date | undefined {
    return undefined
  }
  async react(emoji: string): Promise<void> {
    const message_id = this.event['message_id']
    if (typeof message_id !== 'string' || this.channel_id === null) throw noMessage(this.envelope.type)
    await this[callOfRun]('reactions.add', { channel_id: this.channel_id, message_id, emoji })
  }

  protected override get [runKey](): string {
    const { plugin } = this[services]
    const { burst, event } = this.#delivery
    // A burst that runs again may have more events, but it begins with the same one.
    return `event ${eventKey(burst?.events[0] ?? event)}${plugin === undefined ? '' : ` ${plugin}`}`
  }

  override get api(): Client {
    if (this.event['author_bot'] !== true) return super.api
    const call = ((name, input, options) => {
      if (name === 'messages.create') this[onPost](text((input as { channel_id?: unknown }).channel_id))
      return this[callOfRun](name, input, options)
    }) as Call
    return createClient(call)
  }

  /** Counts answers to another bot, to detect loops. */
  protected override [onPost](channel_id: string): void {
    const { author_bot, author_id } = this.event
    if (author_bot === true && lowerId(channel_id) === this.channel_id)
      this[services].loops.recordAnswer(this.channel_id, text(author_id))
  }

  ask(question: Outgoing, options?: Omit<AskOptions, 'as'>): Promise<string>
  ask<T>(question: Outgoing, options: AskOptions<T> & { as: Arg<T> }): Promise<T>
  ask<T>(question: Outgoing, options?: AskOptions<T>): Promise<T | string> {
    return this[services].questions.ask({ ctx: this, services: this[services] }, question, options)
  }

  choose<const C extends readonly [string, ...string[]]>(
    question: Outgoing,
    choices: C,
    options?: ClickOptions,
  ): Promise<C[number]> {
    return this[services].questions.choose({ ctx: this, services: this[services] }, question, choices, options)
  }

  clicked(message: Pick<Message, 'id'>, options?: ClickOptions): Promise<author.Click> {
    return this[services].questions.clicked(
      { ctx: this, services: this[services] },
      message,
      options,
    ) as Promise<author.Click>
  }

  stream(source: AsyncIterable<string>, options?: StreamOptions): Promise<Streamed> {
    return this[services].questions.stream({ ctx: this, services: this[services] }, source, options)
  }

  get cooldown(): PassedCooldowns {
    return (this.#cooldown ??= new PassedCooldowns())
  }
}

/** The body of an ephemeral message. Where the compiler did not check, the service refuses its components. */
export const ephemeralBody = (message: OutgoingEphemeral): Pick<MessageCreate, 'content' | 'embeds'> =>
  bodyOf(message) as Pick<MessageCreate, 'content' | 'embeds'>

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const nullable = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const noMessage = (type: string) =>
  new BotwrightError('ERR_INVALID_REQUEST', `"${type}" has no message: react with ctx.api.reactions.add(…)`)
