// `ctx`, as every handler has it; the contexts of commands, messages, clicks and events build on it.

import type { EventData, Message, MessageEdit } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import type { BotEvent, Delivery } from '@botwright/events/event'
import type { Call, Client } from '@botwright/rest'
import { createClient } from '@botwright/rest/client'
import type { Outgoing, OutgoingEphemeral } from '../../author/outgoing.ts'
import type { Arg } from '../../author/args/arg.ts'
import type { AskOptions, ClickOptions } from '../../author/ask-options.ts'
import { answering, around, occasion, owner, type Surroundings } from './bot-context.ts'
import { PassedCooldowns } from '../../author/guards/passed-cooldowns.ts'
import { HandlerContext } from './handler-context.ts'
import type { Owner } from '../../author/state/scope.ts'

/** Somebody who did something. The name is empty where the event does not tell it (voice, §6). */
export interface Person {
  id: string
  name: string
}

type Data = Record<string, unknown>

/** What the context of a command has beside that of any event. */
export interface AsCommand {
  /** Its words: `role add`. */
  readonly command: string
  /** What stands behind them, as it was typed. */
  readonly typed: string
  /** The whole text of the message. */
  readonly content: string
  /** What is typed behind the command, as its file asks for it. Throws, or rejects with, `ERR_ARGS` when it does not fit. */
  readArgs(): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
}

/** What the context of a click has beside that of any event, before its params are read. */
export interface AsClick {
  readonly custom_id: string
}

/** What `ctx.server_id` may be. */
export type ServerId = string | null

/** What every handler of an event is given, whatever its kind. */
export abstract class Context<D extends Data = Data, S extends ServerId = ServerId> extends HandlerContext {
  abstract get kind(): 'command' | 'button' | 'event'
  readonly #delivery: Delivery
  #cooldown: PassedCooldowns | undefined

  constructor(delivery: Delivery, surroundings: Surroundings, file: string) {
    super(surroundings, file)
    this.#delivery = delivery
  }

  /** Whether it is a command: then a middleware or a guard has its words, and may read its args. */
  isCommand(): this is this & AsCommand {
    return this.kind === 'command'
  }
  /** Whether it is a click. */
  isClick(): this is this & AsClick {
    return this.kind === 'button'
  }

  /** Answers where the event happened: on a click a `reply` callback (§4), on a message a message with `reply_to`. */
  abstract reply(message: Outgoing): Promise<Message | undefined>
  /** On a click edits the clicked message; elsewhere edits this handler's last reply, or posts one. A key left out keeps, `null` removes. */
  abstract update(message: string | MessageEdit): Promise<Message | undefined>
  /** Tells one person alone: on a click below the message, elsewhere by direct message. */
  abstract ephemeral(message: OutgoingEphemeral): Promise<Message | undefined>
  /** Tells the service that the click arrived; elsewhere nothing. */
  abstract ack(): Promise<void>

  /** The event's fields (§6), by their names on the wire. */
  get event(): D {
    return this.#delivery.event.data as D
  }
  /** The event with its envelope: `id`, `type`, `created_at`. */
  get envelope(): BotEvent {
    return this.#delivery.event
  }
  /** Who did it. */
  get user(): Person {
    return { id: text(this.event['user_id']), name: text(this.event['username']) }
  }
  /** The same person by the word that messages use (§6). */
  get author(): Person {
    return this.user
  }
  /** Where it happened; null for events outside of a channel (§6). */
  get channel_id(): string | null {
    return nullable(this.event['channel_id'])
  }
  /** Null in direct messages (§6). A `string` for the compiler where a guard such as `serverOnly()` or the event itself tells so. */
  get server_id(): S {
    return nullable(this.event['server_id']) as S
  }
  protected override get [owner](): Owner {
    const { user, channel_id, server_id } = this
    return { user_id: user.id, ...(channel_id !== null && { channel_id }), ...(server_id !== null && { server_id }) }
  }
  /** True when an earlier run of this event did not end: some of its work may have been done. */
  get redelivered(): boolean {
    return this.#delivery.redelivered
  }
  /** How many answers are left (§3: a click takes 10); elsewhere without end. */
  get answersLeft(): number {
    return Infinity
  }
  /** Until when answers are taken (§3: 15 minutes on a click); undefined where there is no end. */
  get deadline(): Date | undefined {
    return undefined
  }
  /** Reacts to the message that the event is about. */
  async react(emoji: string): Promise<void> {
    const message_id = this.event['message_id']
    if (typeof message_id !== 'string' || this.channel_id === null) throw noMessage(this.envelope.type)
    await this[around].call('reactions.add', { channel_id: this.channel_id, message_id, emoji })
  }

  protected override get [occasion](): string {
    return `event ${this.envelope.id}`
  }

  /** Every endpoint of the interface (§4). What it posts upon a message of another bot is an answer too. */
  override get api(): Client {
    if (this.event['author_bot'] !== true) return super.api
    const call = ((name, input, options) => {
      if (name === 'messages.create') this[answering](text((input as { channel_id?: unknown }).channel_id))
      return this[around].call(name, input, options)
    }) as Call
    return createClient(call)
  }

  /** An answer to another bot may be one of a loop. */
  protected override [answering](channel_id: string): void {
    const { author_bot, author_id } = this.event
    if (author_bot === true && channel_id === this.channel_id) this[around].loops.answered(channel_id, text(author_id))
  }

  /**
   * Asks whoever the event is about, and waits for what they type next: `await ctx.ask('How many?', { as: integer({ min: 1 }) })`.
   * The channel goes on meanwhile, commands included. An answer that does not fit is told, and asked for again.
   * Without an answer in time, or after "cancel", it throws `ERR_NO_REPLY`: the handler ends, and the person is told.
   */
  ask(question: Outgoing, options?: Omit<AskOptions, 'as'>): Promise<string>
  ask<T>(question: Outgoing, options: AskOptions<T> & { as: Arg<T> }): Promise<T>
  ask<T>(question: Outgoing, options?: AskOptions<T>): Promise<T | string> {
    return this[around].talk.ask({ ctx: this, around: this[around] }, question, options)
  }

  /** Asks with a button for each choice, and gives the one that was clicked. Throws as `ask` does. */
  choose<const C extends readonly [string, ...string[]]>(
    question: Outgoing,
    choices: C,
    options?: ClickOptions,
  ): Promise<C[number]> {
    return this[around].talk.choose({ ctx: this, around: this[around] }, question, choices, options)
  }

  /**
   * Waits for the next click on a message of the bot, made with `choice()` or a button of any file, and gives its context:
   * `params` is what the `choice()` stands for. Throws as `ask` does.
   */
  clicked(message: Pick<Message, 'id'>, options?: ClickOptions): Promise<Click> {
    return this[around].talk.clicked({ ctx: this, around: this[around] }, message, options) as Promise<Click>
  }

  /** The cooldowns that this event has passed: `await ctx.cooldown.refund()` gives this use back. */
  get cooldown(): PassedCooldowns {
    return (this.#cooldown ??= new PassedCooldowns())
  }
}

/** A click that a handler has waited for: answered as in a button's own file. */
export interface Click extends Context<EventData<'interaction'>> {
  /** What the `choice()` stands for; of other buttons an empty text. */
  readonly params: string
  readonly custom_id: string
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const nullable = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const noMessage = (type: string) =>
  new BotwrightError('ERR_INVALID_REQUEST', `"${type}" has no message: react with ctx.api.reactions.add(…)`)
