// The base class of all contexts: the bot, and methods that need no event to answer.

import type * as author from '../../author/context.ts'
import type { BotProfile, Button, Message, MessageEdit } from '@botwright/protocol/shapes'
import { BotwrightError, wellFormed } from '@botwright/protocol/facts'
import type { Clock } from '@botwright/clock'
import type { Call, CallOptions, Client } from '@botwright/rest'
import { createClient } from '@botwright/rest/client'
import { noOptions } from '../../author/plugins/plugin.ts'
import type { ButtonArguments, ButtonName, Env, PayloadArguments, PayloadOf, TaskName } from '../../author/register.ts'
import { bodyOf, type Outgoing } from '../../author/outgoing.ts'
import { type BotServices, services } from '../services.ts'
import { type CallingRun, limited, place, RunCalls } from '../linked-services.ts'
import { Broadcast, type BroadcastOptions } from '../../author/sending/broadcast.ts'
import { purge, type Purged, type PurgeOptions } from '../../author/sending/purge.ts'
import type { Scheduled, ScheduledId, When } from '../../author/schedule.ts'
import type { StateAreas } from '../../author/state/areas.ts'
import type { PlainData } from '../../author/state/plain-data.ts'
import { type OnceOptions, runOnce } from '../../author/state/once.ts'
import type { Owner } from '../../author/state/scope.ts'
import type { BudgetMeter, Log, LogLevel } from '../../author/ports.ts'
import type { HandlerLog } from '../../author/context.ts'

// Internal members are under symbols, so that editors and console.log(ctx) do not show them to authors.

/** A key for this run, the same when it is repeated. A global symbol, as that of the services. */
export const runKey: unique symbol = Symbol.for('botwright.context.runKey') as never

const keysOf = (ctx: author.BotContext) => ctx as unknown as { [runKey]: string; [place]: string; kind?: string }
/** The key of a run, for guards and other parts of the framework. */
export const runKeyOf = (ctx: author.BotContext): string => keysOf(ctx)[runKey]
/** The key of what a file does in a run: several files may handle an event, each with work of its own. */
export const workKeyOf = (ctx: author.BotContext): string =>
  keysOf(ctx).kind === 'event' ? `${runKeyOf(ctx)} ${keysOf(ctx)[place]}` : runKeyOf(ctx)

/** The user, channel and server of this run. */
export const owner: unique symbol = Symbol('owner')

/** Returns the name of the user or the channel of this run, by its id. */
export const nameOf: unique symbol = Symbol('nameOf')

/** Called before a message is posted into a channel. */
export const onPost: unique symbol = Symbol('onPost')

/** Calls the service for this run. */
export const callOfRun: unique symbol = Symbol('callOfRun')

/** Does work that follows a call of this run: it counts as a part of the call. */
export const partOfCall: unique symbol = Symbol('partOfCall')

/** The message that a reply refers to. */
export const replyTo: unique symbol = Symbol('replyTo')

/**
 * Waits for the calls that a run has not awaited: its event counts as handled after them, so that a crash or a stop does not lose them.
 * Undefined without any.
 */
export let callsEnded: (ctx: BotContext) => Promise<void> | undefined

/** The calls of a context belong to the run of another one from now on. */
export let joinCalls: (ctx: BotContext, run: BotContext) => void

export abstract class BotContext implements author.BotContext {
  static {
    callsEnded = (ctx) => ctx.#calls?.ended()
    joinCalls = (ctx, run) => {
      // Creates them.
      void run[callOfRun]
      ctx.#calls = run.#calls
    }
  }

  readonly #services: BotServices
  #calls: RunCalls | undefined
  #api: Client | undefined
  /** Created on first use: few handlers need it. A repeated run skips the work of `once`, so broadcasts are counted anew after it. */
  #extras: { onces: Map<string, Promise<unknown>>; counts: Record<string, number>; after: string } | undefined

  constructor(botServices: BotServices) {
    this.#services = botServices
  }

  protected get [services](): BotServices {
    return this.#services
  }

  get #extra() {
    return (this.#extras ??= { onces: new Map<string, Promise<unknown>>(), counts: {}, after: '' })
  }

  protected abstract get [runKey](): string
  protected abstract get [place](): string
  protected get [owner](): Owner {
    return {}
  }
  protected [nameOf](_id: string): string | undefined {
    return undefined
  }

  protected [onPost](_channel_id: string): void {}

  protected get [callOfRun](): Call {
    const { call, log, run } = this[services]
    // The calls of a durable run are steps.
    if (run) return call
    this.#calls ??= new RunCalls({ call, log }, this as unknown as CallingRun)
    return this.#calls.call
  }
  protected [partOfCall]<T>(work: () => Promise<T>): Promise<T> {
    return this.#calls ? this.#calls.counted(work) : work()
  }
  protected [limited](options: CallOptions | undefined): CallOptions | undefined {
    return options
  }

  get api(): Client {
    return (this.#api ??= createClient(this[callOfRun]))
  }

  get clock(): Clock {
    return this[services].clock
  }
  get env(): Env {
    return this[services].env
  }
  get log(): author.HandlerLog {
    return handlerLog(this[services].log)
  }
  get options(): unknown {
    return this[services].options ?? noOptions
  }
  get me(): BotProfile {
    return this[services].me
  }

  get state(): StateAreas {
    return this[services].areas({ host: this[services], owner: this[owner], nameOf: (id) => this[nameOf](id) })
  }

  once<T>(key: string, work: () => PlainData<T> | Promise<PlainData<T>>, options?: OnceOptions): Promise<T> {
    const { onces } = this.#extra
    let running = onces.get(key) as Promise<T> | undefined
    if (!running) {
      const begin = async (): Promise<T> => {
        try {
          const { once = runOnce } = this[services]
          return await once(this[services], { ...options, id: workKeyOf(this), key }, work as () => T | Promise<T>)
        } catch (error) {
          onces.delete(key)
          throw error
        } finally {
          this.#extra.after = encodeURIComponent(wellFormed(`after-${key}-`))
        }
      }
      // Only the handler awaits this promise, so that the stack of an error leads to the handler's line.
      onces.set(key, (running = begin()))
    }
    return running
  }

  async schedule<Name extends TaskName>(
    name: Name,
    when: When,
    ...payload: PayloadArguments<Name>
  ): Promise<ScheduledId> {
    const { clock, tasks } = this[services]
    if (!tasks.names.has(name))
      throw new BotwrightError('ERR_DEFINITION', `there is no tasks/${name}.ts: create it, or correct the name`)
    const facts = { store: tasks.store, clock, schema: tasks.schemaOf(name) }
    return tasks.timers.add(facts, name, when, payload[0], tasks.draw?.())
  }
  async scheduled<Name extends TaskName>(name: Name): Promise<Scheduled<PayloadOf<Name>>[]> {
    const { store, timers } = this[services].tasks
    return (await timers.list(store, name)) as Scheduled<PayloadOf<Name>>[]
  }
  unschedule(id: string): Promise<boolean> {
    const { store, timers } = this[services].tasks
    return timers.cancel(store, id)
  }

  button<Name extends ButtonName>(name: Name, ...rest: ButtonArguments<Name>): Button {
    return this[services].button(name, ...rest)
  }
  send(channel_id: string, message: Outgoing): Promise<Message> {
    this[onPost](channel_id)
    return this[callOfRun]('messages.create', { ...bodyOf(message), channel_id }, { priority: 'broadcast' })
  }
  async dm(user_id: string, message: Outgoing): Promise<Message> {
    const { channel_id } = await this[callOfRun]('users.dm', { user_id })
    return this[callOfRun]('messages.create', { ...bodyOf(message), channel_id }, { priority: 'reply' })
  }
  edit({ channel_id, id }: author.MessageRef, message: string | MessageEdit): Promise<Message> {
    return this[callOfRun]('messages.update', { ...bodyOf(message), channel_id, message_id: id })
  }
  async delete({ channel_id, id }: author.MessageRef): Promise<void> {
    await this[callOfRun]('messages.delete', { channel_id, message_id: id })
  }
  purge(channel_id: string, options: PurgeOptions): Promise<Purged> {
    return purge(this.api, channel_id, options)
  }
  async broadcast(
    channels: readonly (string | { id: string })[],
    message: Outgoing,
    options: BroadcastOptions = {},
  ): Promise<Broadcast> {
    const { after, counts } = this.#extra
    const id = options.id ?? `${workKeyOf(this)}:${after}${(counts[after] = (counts[after] ?? 0) + 1)}`
    const ids = channels.map((channel) => (typeof channel === 'string' ? channel : channel.id))
    const { broadcasts } = this[services].outbox
    const body = bodyOf<Exclude<Outgoing, string>>(message) as Exclude<Outgoing, string>
    await this[services].spilled.save(body.components)
    const input = { channels: ids, message: body, ...(options.id !== undefined && { isNamed: true as const }) }
    return new Broadcast(id, broadcasts, await broadcasts.start(id, input))
  }
  budget(): Promise<BudgetMeter> {
    return this[services].outbox.budget()
  }
}

/** The context of `events/ready.ts` and `events/shutdown.ts`. */
export class LifecycleContext extends BotContext implements author.LifecycleContext {
  readonly #place: string
  readonly #key = `lifecycle ${crypto.randomUUID()}`

  constructor(botServices: BotServices, file: string) {
    super(botServices)
    this.#place = file
  }

  protected override get [place](): string {
    return this.#place
  }
  protected override get [runKey](): string {
    return this.#key
  }
}

/** A log that adds `own` to the facts of each line. */
export function handlerLog(log: Log, own: object = {}): HandlerLog {
  const line =
    (level: LogLevel): HandlerLog[LogLevel] =>
    (first: string | object, message?: string) => {
      if (typeof first === 'string') return log[level](own, first)
      // The fields of an error are not enumerable, so spreading would lose them.
      if (first instanceof Error) return log[level]({ ...own, error: first }, message ?? first.message)
      log[level]({ ...own, ...first }, message ?? '')
    }
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}
