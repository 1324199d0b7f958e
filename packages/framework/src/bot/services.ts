// The services that the contexts of one bot share. They are stored under a symbol, so that editors and console.log(ctx) do not show them.

import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call, Client } from '@botwright/rest'
import type { Clock } from '@botwright/clock'
import type { Questions } from '../author/ask-options.ts'
import type { BotContext } from '../author/context.ts'
import type { Definition } from '../author/files/entries.ts'
import type { Log, StateStore } from '../author/ports.ts'
import type { ButtonMaker, Env } from '../author/register.ts'
import type { Scheduled, ScheduledId, When } from '../author/schedule.ts'
import type { runOnce } from '../author/state/once.ts'
import type { BotTexts } from '../author/texts/words.ts'
import type { Outbox } from '../link/ports.ts'
import type { RunCommand } from '../author/tools.ts'
import type { BotLoops } from './bot-loops.ts'
import type { SpilledParams } from './buttons/spilled-params.ts'
import type { Layer } from './layer.ts'
import type { Ground, StateAreas } from '../author/state/areas.ts'
import type { Schema } from '../author/state/schema.ts'

/** A global symbol, because a plugin's guard may come from another copy of this package in the process. */
export const services: unique symbol = Symbol.for('botwright.context.services') as never

/** Stores, lists and cancels scheduled runs of tasks. `random`: 12 hexadecimal digits. */
export interface Timers {
  add(
    facts: { store: StateStore; clock: Clock; schema?: Schema<unknown> | undefined },
    task: string,
    when: When,
    payload: unknown,
    random?: string,
  ): Promise<ScheduledId>
  list(store: StateStore, task: string): Promise<Scheduled[]>
  cancel(store: StateStore, id: string): Promise<boolean>
}

/** The services that all contexts of one bot share. */
export interface BotServices {
  readonly call: Call
  /** See `BotHost`. */
  readonly answersLeft?: ((interactionId: string) => Promise<number>) | undefined
  readonly clock: Clock
  readonly log: Log
  readonly me: BotProfile
  readonly handlerSeconds: number
  readonly api: Client
  /** The definitions of all files of the bot. */
  readonly definitions: readonly Definition[]
  /** The bot's values; keys begin with their feature's name. */
  readonly store: StateStore
  /** The values of these owners, with the states that the bot's files declare. */
  readonly areas: (ground: Ground) => StateAreas
  /** The names of the bot's tasks, the schemas of their payloads, and the store of their scheduled runs, which plugins share. */
  readonly tasks: {
    readonly names: ReadonlySet<string>
    readonly schemaOf: (name: string) => Schema<unknown> | undefined
    readonly store: StateStore
    readonly timers: Timers
    /** 12 hexadecimal digits for the id of a scheduled run, the same when a durable handler runs again. Default: random ones. */
    readonly draw?: () => string
  }
  readonly outbox: Outbox
  /** Asks users questions and waits for their answers. */
  readonly questions: Questions
  /** The values of the declared variables. */
  readonly env: Env
  /** The params of buttons in the store. */
  readonly spilled: SpilledParams
  /** Creates a button of this bot by the name of its file. */
  readonly button: ButtonMaker
  /** The plugin's name, for a plugin's handlers. */
  readonly plugin?: string
  /** The plugin's options in the bot's configuration, for a plugin's handlers. */
  readonly options?: unknown
  /** Does the work of `ctx.once`. Default: `runOnce`. */
  readonly once?: typeof runOnce
  /** The framework's own texts. */
  readonly texts: BotTexts
  /** The fields that plugins add to every context. */
  readonly additions?: AddedByName
  /** The features around the bot's code. */
  readonly layer: Layer
  /** Counts answers to other bots. */
  readonly loops: BotLoops
  /** In a durable run: the bot's own services, and a step that records what they return. */
  readonly run?: {
    readonly bot: BotServices
    readonly record: <T>(name: string, use: () => T | Promise<T>) => Promise<T>
  }
  /** Runs a command for a language model. */
  readonly runCommand: RunCommand
}

/** Services with these members instead of the given ones. Derived, not copied: a copy would lack what `given` itself is derived from. */
export const derivedServices = (given: BotServices, own: Partial<BotServices>): BotServices =>
  Object.create(given, Object.getOwnPropertyDescriptors(own)) as BotServices

/** Uses what all handlers of a bot share, such as a cache. In a durable run this is a step: a cache has other values the next time. */
export const useShared = <T>(own: BotServices, name: string, use: (bot: BotServices) => T | Promise<T>) =>
  own.run ? own.run.record(name, () => use(own.run!.bot)) : use(own)

/** The fields that plugins add to `ctx`, by name. */
export type AddedByName = ReadonlyMap<string, (ctx: BotContext) => unknown>

/** The services of the bot that a context belongs to, for guards and other parts of the framework. */
export const servicesOf = (ctx: BotContext): BotServices => (ctx as unknown as { [services]: BotServices })[services]
