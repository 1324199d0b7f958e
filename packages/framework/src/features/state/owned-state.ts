import { BotwrightError } from '@botwright/protocol/facts'
import { type Defined, definedAs, place } from '../../author/definition.ts'
import { type Duration, durationMs } from '../../author/time/duration.ts'
import { cellOf, type StateAreas } from '../../author/state/areas.ts'
import type { Cell } from '../../author/state/cell.ts'
import { type ListOptions, listState, type StateEntry, type TopOptions, topState } from './list.ts'
import { lostInJson } from '../../author/state/plain-data.ts'
import {
  type DeclaredState,
  type Migrations,
  migrationsProblem,
  plainData,
  type Rules,
  rulesOf,
  type Steps,
} from '../../author/state/record.ts'
import type { Schema } from '../../author/state/schema.ts'
import { type AnyScope, idsOf, type Owner, type Scope } from '../../author/state/scope.ts'
import { misspelledField } from '../../author/did-you-mean.ts'

/** Anything with a `ctx.state`: every context of a handler or a task. */
export interface HasState {
  readonly state: StateAreas
}

/** How a value is stored: its name, its version, its lifetime. */
export interface StoredOptions {
  /** Its name. Default: the name of its file under `state/`. */
  name?: string
  /** Raise it by one with each change that older values do not fit. Default 1. */
  version?: number
  /** For each older version, a function that returns the next version's value: `{ 1: (old) => … }`. */
  migrate?: Migrations
  /** How long a value is kept after it was last written. Default: for ever. */
  expires?: Duration
}

/** How a value of an owner is stored. */
export interface StateOptions<S extends Scope> extends StoredOptions {
  /** The scope: `'user'`, `'channel'`, `'server'`, `'member'` (a person in one server) or `'bot'`. */
  scope: S
}

/** A declared state. `C` is the type of `get` without a stored value: the initial one, or undefined. */
export interface State<T, C, S extends Scope = Scope> extends Defined {
  readonly [definedAs]: 'state'
  readonly scope: S
  /** The value of the event's user, channel or server, or of the given owner. */
  of(ctx: HasState, owner?: Owner): Cell<T, C>
  /** All stored values, in the order of their owners; of `member` states those of one server. Page with `limit` and `after`. */
  list(ctx: HasState, options?: ListOptions): Promise<StateEntry<T, S>[]>
  /** The highest values by a number in them: a leaderboard. Reads all values of the state, or of the server. */
  top(ctx: HasState, options: TopOptions<T>): Promise<StateEntry<T, S>[]>
}

/** The steps from older versions. */
export interface Migrating<M extends Migrations, Input> {
  migrate?: M & Steps<M, NoInfer<Input>>
}

const fields = {
  scope: true,
  per: true,
  name: true,
  version: true,
  migrate: true,
  schema: true,
  initial: true,
  expires: true,
} as const

/**
 * Declares stored values: `export default state({ scope: 'member', schema: z.object({ total: z.int() }), initial: { total: 0 } })`
 * in a file under `state/`, or anywhere with a `name`. Values are checked with the schema when they are written and read.
 */
export function state<T, S extends Scope, Input = unknown, M extends Migrations = Migrations>(
  options: StateOptions<S> & { schema: Schema<T, Input>; initial: NoInfer<T> | (() => NoInfer<T>) } & Migrating<
      M,
      Input
    >,
): State<T, T, S>
export function state<T, S extends Scope, Input = unknown, M extends Migrations = Migrations>(
  options: StateOptions<S> & { schema: Schema<T, Input>; initial?: undefined } & Migrating<M, Input>,
): State<T, T | undefined, S>
export function state<T, S extends Scope, M extends Migrations = Migrations>(
  options: StateOptions<S> & { initial: T | (() => T); schema?: undefined } & Migrating<M, T>,
): State<T, T, S>
export function state<S extends Scope>(options: StateOptions<S> & AnyValues): State<unknown, unknown, S> {
  const { scope } = options
  const { self, rules, name } = declareState(options, scope)
  return Object.assign(self, {
    scope,
    of: (ctx: HasState, owner?: Owner) => cellOf(ctx.state, { scope, rules }, name(), owner),
    list: (ctx: HasState, listed?: ListOptions) =>
      listState<S>(ctx.state, { scope, rules }, name(), { ...listed, limit: listed?.limit ?? 100 }),
    top: (ctx: HasState, listed: TopOptions<unknown>) => topState<S>(ctx.state, { scope, rules }, name(), listed),
  })
}

/** Values of any type. */
export interface AnyValues {
  schema?: Schema<unknown> | undefined
  initial?: unknown
}

/** The parts of any declared state: its rules, and its name once its file is loaded. */
export function declareState(options: StoredOptions & AnyValues & { per?: string; scope?: string }, scope: AnyScope) {
  const { version = 1, migrate, schema, initial } = options
  const expiresMs = options.expires === undefined ? undefined : durationMs(options.expires, 'state({ expires })')
  const problem =
    misspelledField<object>(options, fields) ??
    scopeProblem(options) ??
    migrationsProblem(version, migrate) ??
    (schema || typeof initial === 'function' ? undefined : initialProblem(initial))
  // A state that is named after its file is rejected when that file loads: once, with its name, whichever file imports it.
  if (problem !== undefined && options.name !== undefined)
    throw new BotwrightError('ERR_DEFINITION', `state(${JSON.stringify(options.name)}): ${problem}`)
  const rules: Rules = {
    get label() {
      const file = self[place]?.file
      return `state "${name()}"${file === undefined ? '' : ` (${file})`}`
    },
    version,
    migrate,
    schema,
    expiresMs,
    ...('initial' in options && {
      // A copy, so that callers cannot change the declaration.
      initial: typeof initial === 'function' ? (initial as () => unknown) : () => structuredClone(initial),
    }),
  }
  const name = (): string => {
    const named = options.name ?? self[place]?.name
    if (named === undefined) throw new BotwrightError('ERR_DEFINITION', noName)
    return named
  }
  const self: Defined & { readonly [definedAs]: 'state'; readonly [rulesOf]: DeclaredState } = {
    [definedAs]: 'state',
    problem,
    [rulesOf]: { scope, rules },
  }
  return { self, rules, name }
}

const scopes = Object.keys(idsOf).filter((scope) => scope !== 'key')

function scopeProblem({ per, scope }: { per?: string; scope?: string }): string | undefined {
  if (per === undefined) return scopes.includes(String(scope)) ? undefined : `scope must be one of ${scopes.join(', ')}`
  if (scope !== undefined) return 'has both scope and per; use only one'
  return per === 'key' ? undefined : "per must be 'key'"
}

function initialProblem(initial: unknown): string | undefined {
  const lost = initial === undefined ? undefined : lostInJson(initial)
  return lost === undefined ? undefined : `initial: ${lost}, which JSON cannot store; ${plainData}`
}

const noName = 'this state has no name: make it the default export of a file under state/, or set its name'
