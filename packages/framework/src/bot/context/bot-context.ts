// What every handler has, whatever it handles: the bot itself, and the ways to write and to tidy up without an event to answer.

import type { BotProfile, Button, Message, MessageEdit } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Call, Client } from '@botwright/rest'
import type { Clock } from '@botwright/clock'
import type { SpilledParams } from '../buttons/spilled-params.ts'
import type { Talk } from '../../author/ask-options.ts'
import type { BotLoops } from '../bot-loops.ts'
import { noOptions } from '../../author/plugins/plugin.ts'
import type { Definition } from '../../author/entries.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Outbox } from '../../link/ports.ts'
import type {
  ButtonArguments,
  ButtonMaker,
  ButtonName,
  ContextAdditions,
  Env,
  PayloadArguments,
  PayloadOf,
  TaskName,
} from '../../author/register.ts'
import { bodyOf, type Outgoing } from '../../author/outgoing.ts'
import { type HandlerLog, handlerLog } from './handler-log.ts'
import { Broadcast, type BroadcastOptions } from '../../author/sending/broadcast.ts'
import { purge, type Purged, type PurgeOptions } from '../../author/sending/purge.ts'
import { addTimer, cancelTimer, listTimers } from '../../link/tasks/timers.ts'
import type { Scheduled, ScheduledId, When } from '../../author/tasks/schedule.ts'
import { StateAreas } from '../../author/state/areas.ts'
import type { DeclaredStates } from '../../author/state/declared.ts'
import { type OnceOptions, runOnce } from '../../author/state/once.ts'
import type { Owner } from '../../author/state/scope.ts'
import type { BudgetMeter } from '../../author/sending/budget-meter.ts'
import type { BotTexts } from '../../author/texts/words.ts'

// What only the framework uses of a context stands under symbols: neither an editor nor console.log(ctx) shows it to authors.

/** What a context stands in. Shared by every copy of this package in one process: a guard of a plugin may come from another copy. */
export const around: unique symbol = Symbol.for('botwright.context.around') as never

/** What this run is about: the same text when it runs again. */
export const occasion: unique symbol = Symbol('occasion')

/** Whom this run is about. */
export const owner: unique symbol = Symbol('owner')

/** Something is about to be posted into a channel. */
export const answering: unique symbol = Symbol('answering')

/** Which message a reply answers. */
export const replyTo: unique symbol = Symbol('replyTo')

/** What all contexts of one bot share. */
export interface Surroundings {
  readonly call: Call
  readonly clock: Clock
  readonly log: Log
  readonly me: BotProfile
  readonly handlerSeconds: number
  readonly api: Client
  /** What is known of every file of the bot. */
  readonly definitions: readonly Definition[]
  /** Where the bot keeps its values; keys begin with their feature's name. */
  readonly store: StateStore
  /** The states that the bot's files declare. */
  readonly states: DeclaredStates
  /** The bot's tasks: their names, and the store of what is scheduled for them, which plugins share. */
  readonly tasks: { readonly names: ReadonlySet<string>; readonly store: StateStore }
  readonly outbox: Outbox
  /** How handlers wait for answers. */
  readonly talk: Talk
  /** The values of the declared variables. */
  readonly env: Env
  /** The params of buttons that stand in the store. */
  readonly spilled: SpilledParams
  /** A button of this bot by its file's name. */
  readonly button: ButtonMaker
  /** Of a plugin's handlers: the options that the bot mounts it with. */
  readonly options?: unknown
  /** What the framework itself says to people. */
  readonly texts: BotTexts
  /** What plugins put on every context. */
  readonly additions?: AddedByName
  /** Answers to other bots, counted. */
  readonly loops: BotLoops
}

/** What plugins add to `ctx`, by its name, as the contexts of one bot have it. */
export type AddedByName = ReadonlyMap<string, (ctx: BotContext) => unknown>

/** A message that is there, by what finds it. A `Message` of the service fits. */
export interface MessageRef {
  channel_id: string
  id: string
}

/** What a context stands in: for guards and other parts of the framework, which run outside of it. Authors see `ctx` alone. */
export let surroundingsOf: (ctx: BotContext) => Surroundings

// The fields of plugins are made by their `context.ts`.
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-unsafe-declaration-merging
export interface BotContext extends ContextAdditions {}

export abstract class BotContext {
  static {
    surroundingsOf = (ctx) => ctx[around]
  }

  readonly #around: Surroundings
  /** What few handlers need, made for those: a context is made for each event. */
  #extras: { onces: Map<string, Promise<unknown>>; broadcasts: number } | undefined

  constructor(surroundings: Surroundings) {
    this.#around = surroundings
  }

  protected get [around](): Surroundings {
    return this.#around
  }

  get #extra() {
    return (this.#extras ??= { onces: new Map<string, Promise<unknown>>(), broadcasts: 0 })
  }

  protected abstract get [occasion](): string
  protected get [owner](): Owner {
    return {}
  }

  protected [answering](_channel_id: string): void {}

  /** Every endpoint of the interface (§4): `ctx.api.messages.pin({ channel_id, message_id })`. */
  get api(): Client {
    return this[around].api
  }
  /** The bot's clock: a test may set it. `ctx.clock.now()` is the time in milliseconds since 1970. */
  get clock(): Clock {
    return this[around].clock
  }
  /** The variables that `bot.config.ts` declares, checked and typed. */
  get env(): Env {
    return this[around].env
  }
  /** The bot's log: `ctx.log.info('saved')`, with facts before the text where a line has any. */
  get log(): HandlerLog {
    return handlerLog(this[around].log)
  }
  /** In a plugin: the options that the bot mounts it with; `counting.options(ctx)` of its `plugin.ts` gives their types. Elsewhere nothing. */
  get options(): unknown {
    return this[around].options ?? noOptions
  }
  /** The bot's own profile. */
  get me(): BotProfile {
    return this[around].me
  }

  /**
   * What the bot keeps: `user`, `channel`, `server` and `member` for those whom the event is about, `bot` for itself;
   * for others by `ctx.state.for({ user_id })`.
   */
  get state(): StateAreas {
    return new StateAreas(this[around], this[around].states, this[owner])
  }

  /**
   * Does what must not happen twice when the event is redelivered, and gives back what the first time gave (plain data, kept for 2 days).
   * `key` tells it from other such work of the same event. What throws has not happened. Throws `ERR_UNKNOWN_OUTCOME` when an
   * earlier run ended in the middle of it.
   */
  once<T>(key: string, work: () => T | Promise<T>, options?: OnceOptions): Promise<T> {
    const { onces } = this.#extra
    let running = onces.get(key) as Promise<T> | undefined
    if (!running) {
      const begin = async (): Promise<T> => {
        try {
          return await runOnce(this[around], { ...options, id: this[occasion], key }, work)
        } catch (error) {
          onces.delete(key)
          throw error
        }
      }
      // Nothing but the handler awaits it: the stack of what throws leads to the handler's line then alone.
      onces.set(key, (running = begin()))
    }
    return running
  }

  /**
   * Runs `tasks/<name>.ts` once, at a time or after a while, with this payload (plain data); kept over restarts.
   * Gives an id for `unschedule`.
   */
  async schedule<Name extends TaskName>(
    name: Name,
    when: When,
    ...payload: PayloadArguments<Name>
  ): Promise<ScheduledId> {
    if (!this[around].tasks.names.has(name))
      throw new BotwrightError('ERR_DEFINITION', `there is no tasks/${name}.ts: create it, or correct the name`)
    return addTimer({ store: this[around].tasks.store, clock: this[around].clock }, name, when, payload[0])
  }
  /** What is scheduled for a task and has not begun, in the order of its time. */
  async scheduled<Name extends TaskName>(name: Name): Promise<Scheduled<PayloadOf<Name>>[]> {
    return (await listTimers(this[around].tasks.store, name)) as Scheduled<PayloadOf<Name>>[]
  }
  /** Takes back what was scheduled. False: it has begun, or there is no such id. */
  unschedule(id: string): Promise<boolean> {
    return cancelTimer(this[around].tasks.store, id)
  }

  /**
   * A button by the name of its file (`poll/vote`), without an import of it. Throws `ERR_DEFINITION` when there is none of that name,
   * and `ERR_CUSTOM_ID` when a parameter does not fit.
   */
  button<Name extends ButtonName>(name: Name, ...rest: ButtonArguments<Name>): Button {
    return this[around].button(name, ...rest)
  }
  /** Posts into any channel that the bot sees. */
  send(channel_id: string, message: Outgoing): Promise<Message> {
    this[answering](channel_id)
    return this[around].call('messages.create', { ...bodyOf(message), channel_id }, { priority: 'broadcast' })
  }
  /** Writes to a person directly. Their settings may refuse it (§4): then it throws `ERR_FORBIDDEN`. */
  async dm(user_id: string, message: Outgoing): Promise<Message> {
    const { channel_id } = await this[around].call('users.dm', { user_id })
    return this[around].call('messages.create', { ...bodyOf(message), channel_id }, { priority: 'reply' })
  }
  /** Edits a message of the bot. A key left out keeps, `null` removes (§4). */
  edit({ channel_id, id }: MessageRef, message: string | MessageEdit): Promise<Message> {
    return this[around].call('messages.update', { ...bodyOf(message), channel_id, message_id: id })
  }
  /** Deletes a message: the bot's own, or another's with Manage messages (§4). */
  async delete({ channel_id, id }: MessageRef): Promise<void> {
    await this[around].call('messages.delete', { channel_id, message_id: id })
  }
  /** Deletes the newest messages of a channel, with Manage messages those of others too. Gives the ids that are gone, and those that stayed. */
  purge(channel_id: string, options: PurgeOptions): Promise<Purged> {
    return purge(this[around].api, channel_id, options)
  }
  /**
   * Posts one message into many channels, as quickly as the message budget allows and behind every reply. It goes on when the
   * handler has ended, and after a restart. Resolves when it is noted; `done()` of the result waits for its end.
   */
  async broadcast(
    channels: readonly (string | { id: string })[],
    message: Outgoing,
    options: BroadcastOptions = {},
  ): Promise<Broadcast> {
    const id = options.id ?? `${this[occasion]}:${++this.#extra.broadcasts}`
    const ids = channels.map((channel) => (typeof channel === 'string' ? channel : channel.id))
    const { broadcasts } = this[around].outbox
    const body = bodyOf<Exclude<Outgoing, string>>(message) as Exclude<Outgoing, string>
    await this[around].spilled.keep(body.components)
    return new Broadcast(id, broadcasts, await broadcasts.start(id, { channels: ids, message: body }))
  }
  /** How much of the message budget (§8) is left. */
  budget(): Promise<BudgetMeter> {
    return this[around].outbox.budget()
  }
}
