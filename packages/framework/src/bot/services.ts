// What the contexts of one bot share. Only the framework uses it: it is under a symbol, so neither an editor nor console.log(ctx) shows it to authors.

import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call, Client } from '@botwright/rest'
import type { Clock } from '@botwright/clock'
import type { Talk } from '../author/ask-options.ts'
import type { BotContext } from '../author/context.ts'
import type { Definition } from '../author/entries.ts'
import type { Log, StateStore } from '../author/ports.ts'
import type { ButtonMaker, Env } from '../author/register.ts'
import type { BotTexts } from '../author/texts/words.ts'
import type { Outbox } from '../link/ports.ts'
import type { BotLoops } from './bot-loops.ts'
import type { SpilledParams } from './buttons/spilled-params.ts'
import type { DeclaredStates } from '../author/state/record.ts'

/** Shared by every copy of this package in one process: a guard of a plugin may come from another copy. */
export const services: unique symbol = Symbol.for('botwright.context.services') as never

/** What all contexts of one bot share. */
export interface BotServices {
  readonly call: Call
  readonly clock: Clock
  readonly log: Log
  readonly me: BotProfile
  readonly handlerSeconds: number
  readonly api: Client
  /** The definitions of all files of the bot. */
  readonly definitions: readonly Definition[]
  /** The bot's values; keys begin with their feature's name. */
  readonly store: StateStore
  /** The states that the bot's files declare. */
  readonly states: DeclaredStates
  /** The bot's tasks: their names, and the store of what is scheduled for them, which plugins share. */
  readonly tasks: { readonly names: ReadonlySet<string>; readonly store: StateStore }
  readonly outbox: Outbox
  /** Lets handlers wait for answers. */
  readonly talk: Talk
  /** The values of the declared variables. */
  readonly env: Env
  /** The params of buttons that are kept in the store. */
  readonly spilled: SpilledParams
  /** A button of this bot by its file's name. */
  readonly button: ButtonMaker
  /** Of a plugin's handlers: the options that the bot mounts it with. */
  readonly options?: unknown
  /** The framework's own texts. */
  readonly texts: BotTexts
  /** What plugins put on every context. */
  readonly additions?: AddedByName
  /** Answers to other bots, counted. */
  readonly loops: BotLoops
}

/** What plugins add to `ctx`, by its name, as the contexts of one bot have it. */
export type AddedByName = ReadonlyMap<string, (ctx: BotContext) => unknown>

/** The services of the bot that a context belongs to, for guards and other parts of the framework. */
export const servicesOf = (ctx: BotContext): BotServices => (ctx as unknown as { [services]: BotServices })[services]
