import type { ArgsShape } from './args/arg.ts'
import type { Duration } from './time/duration.ts'
import type { onUpgrades } from './durable.ts'
import type { Guard, RefusalText } from './guards/guard.ts'
import type { ParamsShape } from './params/packing.ts'
import type { Entry, EntryKind, TaskSchedule } from './files/entries.ts'
import type { Words } from './texts/words.ts'

/** A button's former params, and how to convert them. */
export interface FormerVersion {
  params: ParamsShape
  migrate: (old: never) => unknown
}

/** The first match of a pattern in the text of a message. A group that took no part in it is an empty text. */
export interface TextMatch<Names extends string = string> extends ReadonlyArray<string> {
  /** Where it begins in the text. */
  readonly index: number
  /** The named groups. */
  readonly groups: Readonly<Record<Names, string>>
}

/** The conditions of a file of an event. */
export interface Conditions {
  // In words, for lists.
  readonly rules: readonly Words[]
  readonly pattern?: RegExp
  readonly match?: (text: string) => TextMatch | undefined
  readonly when: readonly Guard[]
  // It runs only if no other file of the event does.
  readonly otherwise?: true
}

/** Joins bursts of events to one run. */
export interface GatherOptions {
  /** A time without events ends the burst: `'1.5s'`. */
  quiet: Duration
  /** The longest burst: `'10s'`; at most 5 minutes. */
  max: Duration
  /** One person's events in a channel (default), or everyone's. */
  per?: 'user' | 'channel'
}

/** The fields of any definition that the loader reads. */
export interface Defined {
  readonly [definedAs]: EntryKind
  // Of everything but a state.
  readonly run?: ((ctx: never, next: never) => unknown) | undefined
  // Whether it continues after a restart.
  readonly durable?: true | undefined
  // Of a durable handler: how long one run may take.
  readonly timeout?: Duration | undefined
  // Of a durable handler: the version of its code, and what happens to the runs of another one.
  readonly version?: number | undefined
  readonly onUpgrade?: (typeof onUpgrades)[number] | undefined
  // Checked before it runs.
  readonly guards?: readonly Guard[] | undefined
  readonly description?: string | undefined
  readonly args?: ArgsShape | undefined
  // Of a command: sample inputs.
  readonly examples?: readonly string[] | undefined
  // Of a command: other names.
  readonly aliases?: readonly string[] | undefined
  // Of a command: omitted from `/help`.
  readonly hidden?: boolean | undefined
  readonly params?: ParamsShape | undefined
  // Of a button whose params are in the store: how long.
  readonly spillMs?: number | undefined
  // Of a button: its former params.
  readonly versions?: readonly FormerVersion[] | undefined
  // Of a button: the reply to a click on one that cannot be read.
  readonly outdated?: RefusalText | undefined
  // Of the event `message`: whether messages of other bots count.
  readonly bots?: boolean | undefined
  // Of an event: when it runs, unless it always does.
  readonly conditions?: Conditions | undefined
  // The type that was passed to `event()`.
  readonly type?: string | undefined
  // Of a task: its schedule with its check, and the schema of its payload.
  readonly times?: TaskSchedule | undefined
  readonly checkTimes?: () => Promise<string | undefined>
  readonly payload?: unknown
  // Of a middleware: the function around tasks.
  readonly task?: ((ctx: never, next: never) => unknown) | undefined
  // Plain data for the feature that it belongs to.
  readonly facts?: object | undefined
  // Its problem, if only the loader can name its file.
  readonly problem?: string | ((entry: Entry) => string | undefined) | undefined
  [place]?: { name: string; file: string }
}

export const isDefined = (value: unknown): value is Defined =>
  typeof value === 'object' && value !== null && definedAs in value

/** Marks the results of `command()`, `button()`, `event()` and the others. Shared by every copy of this package in one process. */
export const definedAs: unique symbol = Symbol.for('botwright.definedAs') as never

/** The field in which the loader stores a button's location, which only the name of its file contains. */
export const place: unique symbol = Symbol.for('botwright.place') as never
