import { type AnyValues, type Migrating, type State, type StateOptions, state as ownedState } from './owned-state.ts'
import type { Migrations } from '../../author/state/record.ts'
import type { Schema } from '../../author/state/schema.ts'
import type { Scope } from '../../author/state/scope.ts'
import { type KeyedState, type KeyOptions, keyedState } from './keyed-state.ts'

interface Initial<T> {
  initial: T | (() => T)
  schema?: undefined
}

/** Without an initial value, the type of the values is the type argument. */
type NoInitial<T> = [T] extends [never]
  ? { initial: 'add initial or schema, or write state<Type>(…)'; schema?: undefined }
  : { initial?: undefined; schema?: undefined }

/** With an explicit type of values, the compiler does not infer the types of migrations: the steps are not compared. */
type Unchecked = Readonly<Record<never, never>>

/** A state per key. */
interface PerKey {
  <T, Input = unknown, M extends Migrations = Migrations>(
    options: KeyOptions & { schema: Schema<T, Input>; initial: NoInfer<T> | (() => NoInfer<T>) } & Migrating<M, Input>,
  ): KeyedState<T, T>
  <T, Input = unknown, M extends Migrations = Migrations>(
    options: KeyOptions & { schema: Schema<T, Input>; initial?: undefined } & Migrating<M, Input>,
  ): KeyedState<T, T | undefined>
  <T, M extends Migrations = Unchecked>(options: KeyOptions & Initial<T> & Migrating<M, T>): KeyedState<T, T>
  <T = never, M extends Migrations = Unchecked>(
    options: KeyOptions & NoInitial<T> & Migrating<M, T>,
  ): KeyedState<T, T | undefined>
}

/** A state of one scope, so that `state<Type>({ scope: 'user' })` needs no second type argument. */
interface PerOwner<S extends Scope> {
  <T, M extends Migrations = Unchecked>(options: StateOptions<S> & Initial<T> & Migrating<M, T>): State<T, T, S>
  <T = never, M extends Migrations = Unchecked>(
    options: StateOptions<S> & NoInitial<T> & Migrating<M, T>,
  ): State<T, T | undefined, S>
}

type OneScope = PerOwner<'user'> & PerOwner<'member'> & PerOwner<'channel'> & PerOwner<'server'> & PerOwner<'bot'>

/**
 * Declares stored values: `export default state({ scope: 'member', schema: z.object({ total: z.int() }), initial: { total: 0 } })`
 * in a file under `state/`, or anywhere with a `name`. Values are checked with the schema when they are written and read.
 * `state<Rsvp>({ per: 'key' })` has one value for each key: `rsvps.at(ctx, eventId)`.
 */
// The last one is the one whose errors the compiler shows.
export const state: PerKey & OneScope & typeof ownedState = ((
  options: (KeyOptions | StateOptions<Scope>) & AnyValues,
) => ('per' in options ? keyedState(options) : ownedState(options as never))) as never
