import { BotwrightError } from '@botwright/protocol/facts'
import type { Defined, definedAs } from '../../author/definition.ts'
import { type AnyValues, declareState, type HasState, type StoredOptions } from './owned-state.ts'
import { cellOf, groundOf } from '../../author/state/areas.ts'
import type { Cell } from '../../author/state/cell.ts'
import { readRows } from './list.ts'
import { ownerOf, part, stateKey, statePrefix } from '../../author/state/scope.ts'

/** How a value per key is stored. */
export interface KeyOptions extends StoredOptions {
  /** One value for each key: an event, a ticket, a word. */
  per: 'key'
}

/** A stored value and its key. */
export interface KeyedEntry<T> {
  key: string
  value: T
}

/** The keys to list or count. */
export interface KeyFilter {
  /** The beginning of the keys: `'party:'`. Default: all keys. */
  prefix?: string
  /** Only keys after this one: the last one of the previous page. */
  after?: string
}

/** The options of `state.list` of a state per key. */
export interface KeyListOptions extends KeyFilter {
  /** Skip so many values. They are read all the same: `after` is faster. */
  offset?: number
  /** The maximum number. Default 100. */
  limit?: number
}

/** A declared state with one value per key. `C` is the type of `get` without a stored value: the initial one, or undefined. */
export interface KeyedState<T, C> extends Defined {
  readonly [definedAs]: 'state'
  readonly scope: 'key'
  /** The value of a key, which is any text: `rsvps.at(ctx, eventId).update(…)`. */
  at(ctx: HasState, key: string): Cell<T, C>
  /** The stored values with their keys, in the order of their keys. Page with `limit`, and `after` or `offset`. */
  list(ctx: HasState, options?: KeyListOptions): Promise<KeyedEntry<T>[]>
  /** How many values are stored. Reads all of them. */
  count(ctx: HasState, filter?: KeyFilter): Promise<number>
}

/** How many values `count` reads at once. */
const PAGE = 1000

export function keyedState(options: KeyOptions & AnyValues): KeyedState<unknown, unknown> {
  const { self, rules, name } = declareState(options, 'key')
  const declared = { scope: 'key', rules } as const
  const prefixOf = ({ prefix = '' }: KeyFilter) => statePrefix('key', name()) + part(prefix)
  const startOf = ({ after }: KeyFilter) => (after ? stateKey('key', name(), { key: after }) : undefined)
  return Object.assign(self, {
    scope: 'key' as const,
    at(ctx: HasState, key: string) {
      if (typeof key !== 'string' || key === '')
        throw new BotwrightError('ERR_INVALID_REQUEST', `${rules.label}: the key must be a text that is not empty`)
      return cellOf(ctx.state, declared, name(), { key })
    },
    async list(ctx: HasState, { offset = 0, limit = 100, ...filter }: KeyListOptions = {}) {
      if (!(offset >= 0 && limit >= 0))
        throw new BotwrightError('ERR_INVALID_REQUEST', `${rules.label}: limit and offset must be numbers from 0`)
      const rows = await readRows({ ...groundOf(ctx.state), rules }, prefixOf(filter), {
        limit: offset + limit,
        after: startOf(filter),
      })
      return rows.slice(offset).map(({ key, value }) => ({ key: ownerOf('key', name(), key).key!, value }))
    },
    async count(ctx: HasState, filter: KeyFilter = {}) {
      const { store } = groundOf(ctx.state).host
      const prefix = prefixOf(filter)
      for (let count = 0, after = startOf(filter); ;) {
        const page = await store.list(prefix, { ...(after !== undefined && { after }), limit: PAGE })
        count += page.length
        if (page.length < PAGE) return count
        after = page.at(-1)!.key
      }
    },
  })
}
