// `ctx`: what each kind of handler is given. The bot's side implements these interfaces.

import type { BotProfile, Button, EventData, Message, MessageEdit } from '@botwright/protocol/shapes'
import type { Clock } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import type { Client } from '@botwright/rest'
import type { Arg } from './args/arg.ts'
import type { AskOptions, ClickOptions } from './ask-options.ts'
import type { Definition } from './files/entries.ts'
import type { PassedCooldowns } from './passed-cooldowns.ts'
import type { Outgoing, OutgoingEphemeral } from './outgoing.ts'
import type { BudgetMeter, LogLevel } from './ports.ts'
import type {
  ButtonArguments,
  ButtonName,
  ContextAdditions,
  Env,
  PayloadArguments,
  PayloadOf,
  TaskName,
} from './register.ts'
import type { Broadcast, BroadcastOptions } from './sending/broadcast.ts'
import type { Purged, PurgeOptions } from './sending/purge.ts'
import type { Streamed, StreamOptions } from './sending/stream.ts'
import type { StateAreas } from './state/areas.ts'
import type { OnceOptions } from './state/once.ts'
import type { PlainData } from './state/plain-data.ts'
import type { Scheduled, ScheduledId, When } from './schedule.ts'

/** Writes a line of the log: a text, facts, or both. An error among the facts keeps its stack. */
interface WriteLine {
  (message: string): void
  (facts: object, message?: string): void
}

/** The bot's log as its files use it: `ctx.log.info('saved')`, `ctx.log.warn({ channel_id }, 'no such role')`, `ctx.log.error(error)`. */
export type HandlerLog = Record<LogLevel, WriteLine>

/** The user who caused an event. */
export interface Person {
  id: string
  /** The username, empty where the event does not contain it (voice, §6). Members have display names: `ctx.api.members.get(…)`. */
  name: string
}

/** The two ids that identify a message. A `Message` of the service fits. */
export interface MessageRef {
  channel_id: string
  id: string
}

/** The type of `ctx.server_id`. */
export type ServerId = string | null

type Data = Record<string, unknown>

/** The members of every context. The additions of plugins are declared in their `context.ts`. */
export interface BotContext extends ContextAdditions {
  /** Every endpoint of the interface (§4): `ctx.api.messages.pin({ channel_id, message_id })`. */
  readonly api: Client
  /** The bot's clock: a test may set it. `ctx.clock.now()` is the time in milliseconds since 1970. */
  readonly clock: Clock
  /** The variables that `bot.config.ts` declares, checked and typed. */
  readonly env: Env
  /** The bot's log: `ctx.log.info('saved')`, with facts before the text if needed. A line of a handler includes its `file`. */
  readonly log: HandlerLog
  /** In a plugin: the options that the bot mounts it with; `counting.options(ctx)` of its `plugin.ts` returns them with their types. Elsewhere an empty object. */
  readonly options: unknown
  /** The bot's own profile. */
  readonly me: BotProfile
  /**
   * The bot's stored values: `user`, `channel`, `server` and `member` for those that the event is about, `bot` for itself;
   * for others by `ctx.state.for({ user_id })`.
   */
  readonly state: StateAreas
  /**
   * Runs work that must not happen twice when the event is redelivered, and returns what the first run returned (plain data, stored for 14 days).
   * `key` distinguishes it from other such work of the same event. Throws `ERR_UNKNOWN_OUTCOME` if it is not known whether an earlier run
   * did the work, and `ERR_INVALID_REQUEST` for a result that JSON cannot store.
   */
  once<T>(key: string, work: () => PlainData<T> | Promise<PlainData<T>>, options?: OnceOptions): Promise<T>
  /**
   * Runs `tasks/<name>.ts` once, at a time or after a delay, with this payload (plain data); survives restarts.
   * Returns an id for `unschedule`.
   */
  schedule<Name extends TaskName>(name: Name, when: When, ...payload: PayloadArguments<Name>): Promise<ScheduledId>
  /** The scheduled runs of a task that have not started or wait for another attempt, ordered by time. */
  scheduled<Name extends TaskName>(name: Name): Promise<Scheduled<PayloadOf<Name>>[]>
  /** Cancels a scheduled run. False: it is running or over, or there is no such id. */
  unschedule(id: string): Promise<boolean>
  /**
   * A button by the name of its file (`poll/vote`), without an import of it. Throws `ERR_DEFINITION` if there is no button with that name,
   * and `ERR_CUSTOM_ID` if a parameter does not fit.
   */
  button<Name extends ButtonName>(name: Name, ...rest: ButtonArguments<Name>): Button
  /** Posts into any channel that the bot sees. `held_until`: the message waits for the end of `quietHours`, as ISO 8601. */
  send(channel_id: string, message: Outgoing): Promise<Message & { held_until?: string }>
  /** Sends a direct message. The user's settings may refuse it (§4): then it throws `ERR_FORBIDDEN`. */
  dm(user_id: string, message: Outgoing): Promise<Message>
  /** Edits a message of the bot. A key left out is unchanged, `null` removes its value (§4). */
  edit(message: MessageRef, changes: string | MessageEdit): Promise<Message>
  /** Deletes a message: the bot's own, or another's with Manage messages (§4). */
  delete(message: MessageRef): Promise<void>
  /** Deletes the newest messages of a channel, with Manage messages those of others too. Returns the ids of the deleted messages, and of those that remain. */
  purge(channel_id: string, options: PurgeOptions): Promise<Purged>
  /**
   * Posts one message into many channels, as quickly as the message budget allows and after every reply. It continues after the
   * handler has ended, and after a restart. Resolves when it is stored; `done()` of the result waits for its end.
   */
  broadcast(
    channels: readonly (string | { id: string })[],
    message: Outgoing,
    options?: BroadcastOptions,
  ): Promise<Broadcast>
  /** How much of the message budget (§8) is left. */
  budget(): Promise<BudgetMeter>
}

/** The members of the context of an event or a task. */
export interface HandlerContext extends BotContext {
  /** The handler's file. */
  readonly file: string
  /** Aborts when the handler's time (`limits.handlerSeconds`) is over. */
  readonly signal: AbortSignal
}

/** The additional members of a command's context. */
export interface AsCommand {
  /** Its words: `role add`. */
  readonly command: string
  /** The text after the command's words, as it was typed. */
  readonly typed: string
  /** The whole text of the message. */
  readonly content: string
  /** The typed arguments, as the command's file declares them. Throws, or rejects with, `ERR_ARGS` if they do not fit. */
  readArgs(): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
}

/** The additional members of a click's context, before its params are read. */
export interface AsClick {
  readonly custom_id: string
}

/** The context of every handler of an event, whatever its kind. */
export interface Context<D extends Data = Data, S extends ServerId = ServerId> extends HandlerContext {
  readonly kind: 'command' | 'button' | 'event'
  /** Whether it is a command: then a middleware or a guard has its words, and may read its args. */
  isCommand(): this is this & AsCommand
  /** Whether it is a click. */
  isClick(): this is this & AsClick
  /** Answers where the event happened: on a click a `reply` callback (§4), on a message a message with `reply_to`. */
  reply(message: Outgoing): Promise<Message | undefined>
  /** On a click edits the clicked message; elsewhere edits this handler's last reply, or posts one. A key left out is unchanged, `null` removes its value. */
  update(message: string | MessageEdit): Promise<Message | undefined>
  /** Answers so that only one user sees it: on a click below the message, elsewhere by direct message. */
  ephemeral(message: OutgoingEphemeral): Promise<Message | undefined>
  /** Acknowledges a click; on other events it does nothing. */
  ack(): Promise<void>
  /** The event's fields (§6), by their names on the wire. */
  readonly event: D
  /** With `gather`: all events of the burst, `event` last. Otherwise `event` alone. */
  readonly events: readonly D[]
  /** The event with its envelope: `id`, `type`, `created_at`. */
  readonly envelope: BotEvent
  /** The user who caused the event. */
  readonly user: Person
  /** The same user, under the name that messages use (§6). */
  readonly author: Person
  /** The channel of the event; null for events outside of a channel (§6). */
  readonly channel_id: string | null
  /** Null in direct messages (§6). Typed as `string` after a guard such as `serverOnly()`, or where the event always has one. */
  readonly server_id: S
  /** True if an earlier run of this event did not end: some of its work may have been done. */
  readonly redelivered: boolean
  /**
   * How many answers are left (§3: a click takes 10); `Infinity` on other events. The framework's acknowledgement counts from the first answer
   * on, except in a durable handler.
   */
  readonly answersLeft: number
  /** When the service stops accepting answers (§3: 15 minutes after a click); undefined on other events. */
  readonly deadline: Date | undefined
  /** Reacts to the message that the event is about. */
  react(emoji: string): Promise<void>
  /**
   * Asks the user of the event a question, and waits for the next message they type: `await ctx.ask('How many?', { as: integer({ min: 1 }) })`.
   * The channel continues meanwhile, commands included. An answer that does not fit is explained, and asked for again.
   * Without an answer in time it throws `ERR_NO_REPLY`, and after "cancel" `ERR_CANCELLED`: the handler ends, and the user is notified.
   * If the user is asked a newer question in the same channel, it throws `ERR_REPLACED`: the handler ends without a notification.
   */
  ask(question: Outgoing, options?: Omit<AskOptions, 'as'>): Promise<string>
  ask<T>(question: Outgoing, options: AskOptions<T> & { as: Arg<T> }): Promise<T>
  /** Asks with a button for each choice, and returns the one that was clicked. Throws as `ask` does. */
  choose<const C extends readonly [string, ...string[]]>(
    question: Outgoing,
    choices: C,
    options?: ClickOptions,
  ): Promise<C[number]>
  /**
   * Waits for the next click on a message of the bot, made with `choice()` or a button of any file, and returns its context:
   * `params` is the value of the `choice()`. Throws as `ask` does.
   */
  clicked(message: Pick<Message, 'id'>, options?: ClickOptions): Promise<Click>
  /**
   * Replies with a text while it is written: `await ctx.stream(model.answer(question))`. The message grows about once a second; a text of
   * over 2,000 characters becomes several messages (§8). The channel continues meanwhile, and the handler's time limit does not count it.
   * Rejects with the error of the source, after the text so far was shown with an ellipsis.
   */
  stream(source: AsyncIterable<string>, options?: StreamOptions): Promise<Streamed>
  /** The cooldowns that this event has passed: `await ctx.cooldown.refund()` returns this use. */
  readonly cooldown: PassedCooldowns
}

/** A click that a handler has waited for: answered as in a button's own file. */
export interface Click extends Context<EventData<'interaction'>> {
  /** The value of the `choice()`; an empty text for other buttons. */
  readonly params: string
  readonly custom_id: string
}

/** The context of an event that is not a click: answers are messages. */
export interface EventContext<D extends Data = Data, S extends ServerId = ServerId> extends Context<D, S> {
  readonly kind: 'event' | 'command'
  /** Posts into the event's channel. Throws `ERR_INVALID_REQUEST` if it has none. */
  reply(message: Outgoing): Promise<Message>
  /** Edits this handler's last reply; posts one if there is none. */
  update(message: string | MessageEdit): Promise<Message>
  /** Sends a direct message to the user; in direct messages it is an ordinary reply. */
  ephemeral(message: OutgoingEphemeral): Promise<Message>
  /** Does nothing: only clicks wait for an answer. */
  ack(): Promise<void>
}

/** The context of a message (§6). */
export interface MessageContext<S extends ServerId = ServerId> extends EventContext<EventData<'message'>, S> {
  /** The message, `author` and `args` as texts whatever form they arrived in. */
  readonly event: EventData<'message'>
  readonly channel_id: string
  /** The author of the message. */
  readonly author: Person & { bot: boolean }
  /** The text of the message. */
  readonly content: string
}

/** The context of a command. `args` are what its file asks for. */
export interface CommandContext<
  A = Readonly<Record<string, never>>,
  S extends ServerId = ServerId,
> extends MessageContext<S> {
  /** The command's words: `role add`. */
  readonly command: string
  /** The text after the command's words, as it was typed. */
  readonly typed: string
  /** The typed arguments. Throws `ERR_ARGS`, with the usage for the user, if they do not fit. */
  readonly args: A
  /** Reads the args before the handler does, in a middleware: a promise where a name is looked up. Throws as `args` does. */
  readArgs(): A | Promise<A>
  /** Every command of the bot, with what `/help` shows of it: for your own `commands/help.ts`. */
  readonly commands: readonly Definition[]
  /** The prefix that was typed: `/` or `!` (§2). */
  readonly prefix: string
}

/** The context of a click. A click takes 10 answers within 15 minutes (§3); both are checked before anything is sent. */
export interface ButtonContext<P = string, S extends ServerId = ServerId> extends Context<EventData<'interaction'>, S> {
  readonly kind: 'button'
  /** The button's parameters. Of a `custom_id` written by hand (`vote:anything`): the text after the colon. */
  readonly params: P
  /** As the service sent it. */
  readonly custom_id: string
  /** A click always happens in a channel. */
  readonly channel_id: string
  readonly deadline: Date
  /** Whether the service accepts no more answers to this click. */
  readonly isOver: boolean
}

/** The context of `events/ready.ts` and `events/shutdown.ts`. */
export type LifecycleContext = BotContext

/** The context of a task. It is not about an event: `ctx.state.bot` is its state, and `ctx.state.for({ server_id })` that of others. */
export interface TaskContext<P = unknown> extends HandlerContext {
  readonly kind: 'task'
  /** The payload that it was scheduled with. */
  readonly payload: P
  /** True if an earlier run did not end: some of its work may have been done. */
  readonly redelivered: boolean
  /** The task's name: its file's, without the folder. */
  readonly name: string
  /** The time that it was scheduled for; after downtime it may be long ago. */
  readonly scheduledAt: Date
}

/** The context of a middleware: any of them. */
export type AnyContext = Context
