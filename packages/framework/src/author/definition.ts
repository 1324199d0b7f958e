import type { ArgsShape } from './args/arg.ts'
import type { Guard, RefusalText } from './guards/guard.ts'
import type { ParamsShape } from './params/packing.ts'
import type { EntryKind, TaskSchedule } from './entries.ts'

/** What a button's params were, and what has become of them. */
export interface FormerVersion {
  params: ParamsShape
  migrate: (old: never) => unknown
}

/** What the loader reads from a definition, whatever its kind. */
export interface Defined {
  readonly [definedAs]: EntryKind
  // Of everything but a state.
  readonly run?: ((ctx: never, next: never) => unknown) | undefined
  // Asked before it runs.
  readonly guards?: readonly Guard[] | undefined
  readonly description?: string | undefined
  readonly args?: ArgsShape | undefined
  // Of a command: what may be typed behind it.
  readonly examples?: readonly string[] | undefined
  // Of a command: further words for its last one.
  readonly aliases?: readonly string[] | undefined
  // Of a command: `/help` does not tell of it.
  readonly hidden?: boolean | undefined
  readonly params?: ParamsShape | undefined
  // Of a button whose params stand in the store: for how long.
  readonly spillMs?: number | undefined
  // Of a button: what its params were before.
  readonly versions?: readonly FormerVersion[] | undefined
  // Of a button: what a click on one that cannot be read is told.
  readonly outdated?: RefusalText | undefined
  // Of the event `message`: whether messages of other bots count.
  readonly bots?: boolean | undefined
  // The event that `event()` was told.
  readonly type?: string | undefined
  // Of a task: when it runs, and the schema of what it is scheduled with.
  readonly times?: TaskSchedule | undefined
  readonly payload?: unknown
  // Of a middleware: what runs around tasks.
  readonly task?: ((ctx: never, next: never) => unknown) | undefined
  // What is wrong with it, where only its file can tell which one it is.
  readonly problem?: string | undefined
  [place]?: { name: string; file: string }
}

export const isDefined = (value: unknown): value is Defined =>
  typeof value === 'object' && value !== null && definedAs in value

/** Marks what `command()`, `button()`, `event()` and the others give. Shared by every copy of this package in one process. */
export const definedAs: unique symbol = Symbol.for('botwright.definedAs') as never

/** Where the loader writes a button's place, which only the file's name tells. */
export const place: unique symbol = Symbol.for('botwright.place') as never
