import type { States as Declared } from '../register.ts'
import { Cell, type Change, type ChangeWith, type StateHost, type WriteOptions } from './cell.ts'
import { type Owner, type Scope, stateKey } from './scope.ts'
import type { DeclaredState, DeclaredStates, OwnerName } from './record.ts'

/** The names of the bot's states of a scope, from `.framework/types.d.ts`. */
type NameOf<S extends Scope> = {
  [N in keyof Declared]: Declared[N] extends { readonly scope: S } ? N & string : never
}[keyof Declared]
type CellOf<N extends keyof Declared> = Declared[N] extends { of(...given: never): infer C } ? C : never
type Current<N extends keyof Declared> = CellOf<N> extends Cell<infer _T, infer C> ? C : never
type Value<N extends keyof Declared> = CellOf<N> extends Cell<infer T, infer _C> ? T : never
/** A declared name, or any other: a wrong value for a declared name must not match the other overload. */
type AnyName<S extends Scope> = NameOf<S> | (string & {})
type ValueOf<S extends Scope, N> = N extends NameOf<S> ? Value<N> : unknown
type CurrentOf<S extends Scope, N> = N extends NameOf<S> ? Current<N> : unknown

/**
 * The stored values of one person, channel, server, member or the bot, by name. A name that is declared under `state/` has the types,
 * the schema and the initial value of its declaration; any other name accepts any JSON value.
 */
export interface StateArea<S extends Scope> {
  get<N extends NameOf<S>>(name: N): Promise<Current<N>>
  get(name: string): Promise<unknown>
  set<N extends AnyName<S>>(name: N, value: ValueOf<S, N>, options?: WriteOptions): Promise<void>
  /** Changes a value in one step: no concurrent change is lost. The function may run more than once. */
  update<N extends AnyName<S>>(
    name: N,
    change: Change<ValueOf<S, N>, CurrentOf<S, N>>,
    options?: WriteOptions,
  ): Promise<ValueOf<S, N>>
  /** Changes a value in one step, and returns a result. Without a value nothing is written. */
  updateWith<N extends AnyName<S>, R>(
    name: N,
    change: ChangeWith<ValueOf<S, N>, CurrentOf<S, N>, R>,
    options?: WriteOptions,
  ): Promise<R>
  delete(name: string): Promise<boolean>
}

/** The services and the owner that the values of one event use. */
export interface Ground {
  readonly host: StateHost
  readonly owner: Owner
  readonly nameOf?: OwnerName | undefined
}

// Shared by every copy of this package in one process: a state of a plugin may come from another copy than `ctx`.
const cell: unique symbol = Symbol.for('botwright.state.cell') as never
const ground: unique symbol = Symbol.for('botwright.state.ground') as never

/** One value of a declared state, of the areas' own owner or of another one. For `state()`. */
export let cellOf: (
  areas: StateAreas,
  declared: DeclaredState,
  name: string,
  owner: Owner | undefined,
) => Cell<unknown, unknown>
/** The services and owner of the areas. For `state()`. */
export let groundOf: (areas: StateAreas) => Ground

/** `ctx.state`: the bot's stored values for the user, channel and server of the event. */
export class StateAreas {
  static {
    cellOf = (areas, declared, name, owner) => areas[cell](declared, name, owner)
    groundOf = (areas) => areas[ground]
  }

  readonly #ground: Ground
  readonly #declared: DeclaredStates

  constructor(declared: DeclaredStates, ground: Ground) {
    this.#ground = ground
    this.#declared = declared
  }

  /** Of the event's user, in any server. */
  get user(): StateArea<'user'> {
    return this.#area('user')
  }
  get channel(): StateArea<'channel'> {
    return this.#area('channel')
  }
  get server(): StateArea<'server'> {
    return this.#area('server')
  }
  /** Of the person in this server. */
  get member(): StateArea<'member'> {
    return this.#area('member')
  }
  /** One for the whole bot. */
  get bot(): StateArea<'bot'> {
    return this.#area('bot')
  }

  /** The same for another owner: `ctx.state.for({ user_id }).user.get('warnings')`. */
  for(owner: Owner): StateAreas {
    return new StateAreas(this.#declared, { ...this.#ground, owner: { ...this.#ground.owner, ...owner } })
  }

  protected get [ground](): Ground {
    return this.#ground
  }

  protected [cell]({ scope, rules }: DeclaredState, name: string, owner: Owner | undefined): Cell<unknown, unknown> {
    const { host, owner: own, nameOf } = this.#ground
    return new Cell(host, { key: stateKey(scope, name, owner ? { ...own, ...owner } : own), nameOf }, rules)
  }

  #area(scope: Scope): StateArea<never> {
    const ofName = (name: string): Cell<unknown, unknown> => {
      const declared = this.#declared.get(name)
      const rules = declared?.scope === scope ? declared.rules : { label: `state "${name}"`, version: 1 }
      return this[cell]({ scope, rules }, name, undefined)
    }
    // Without `await`, stacks within the call would lack the author's line.
    return {
      get: async (name: string) => await ofName(name).get(),
      set: async (name: string, value: unknown, options?: WriteOptions) => await ofName(name).set(value, options),
      update: async (name: string, change: Change<unknown, unknown>, options?: WriteOptions) =>
        await ofName(name).update(change, options),
      updateWith: async (name: string, change: ChangeWith<unknown, unknown, unknown>, options?: WriteOptions) =>
        await ofName(name).updateWith(change, options),
      delete: async (name: string) => await ofName(name).delete(),
    } as StateArea<never>
  }
}
