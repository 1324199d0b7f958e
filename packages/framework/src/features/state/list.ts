import { groundOf, type StateAreas } from '../../author/state/areas.ts'
import { type DeclaredState, fromRecord, type Rules } from '../../author/state/record.ts'
import {
  memberPrefix,
  type Owner,
  ownerId,
  type OwnerOf,
  ownerOf,
  type Scope,
  stateKey,
  statePrefix,
} from '../../author/state/scope.ts'

/** A stored value and its owner. */
export interface StateEntry<T, S extends Scope = Scope> {
  owner: OwnerOf<S>
  value: T
}

/** The options of `state.list`. */
export interface ListOptions {
  /** Of `member` states: the server of the members. Default: the event's. */
  server_id?: string
  /** Continue after this owner: the last one of the previous page. */
  after?: Owner
  /** The maximum number. Default 100. */
  limit?: number
}

/** The options of `state.top`. */
export interface TopOptions<T> {
  /** The number to compare; the highest comes first. Equal values are in the order of their owners. */
  by: (value: T) => number
  /** The maximum number. Default 10. */
  limit?: number
  server_id?: string
}

/** A state whose values belong to users, channels, servers or the bot. */
export type OwnedState = DeclaredState & { readonly scope: Scope }

/** The values of a state in the order of their owners; all of them without a `limit`. */
export async function listState<S extends Scope>(
  areas: StateAreas,
  { scope, rules }: OwnedState,
  name: string,
  options: ListOptions,
): Promise<StateEntry<unknown, S>[]> {
  const { host, owner, nameOf } = groundOf(areas)
  const { server_id, after, limit } = options
  const one = server_id === undefined ? owner : { ...owner, server_id }
  const prefix =
    scope === 'member' ? memberPrefix(name, ownerId(scope, name, one, 'server_id')) : statePrefix(scope, name)
  const from = after && stateKey(scope, name, { ...one, ...after })
  const rows = await readRows({ host, nameOf, rules }, prefix, { limit, after: from })
  return rows.map(({ key, value }) => ({ owner: ownerOf(scope, name, key) as OwnerOf<S>, value }))
}

type Reading = Pick<ReturnType<typeof groundOf>, 'host' | 'nameOf'> & { rules: Rules }

/** The values whose keys begin with `prefix`, in the order of their keys. Those that do not fit the schema are omitted and logged. */
export async function readRows(
  { host, nameOf, rules }: Reading,
  prefix: string,
  { after, limit }: { after: string | undefined; limit: number | undefined },
): Promise<{ key: string; value: unknown }[]> {
  const rows: { key: string; value: unknown }[] = []
  for (let from = after; ;) {
    const left = limit === undefined ? undefined : limit - rows.length
    const page = await host.store.list(prefix, {
      ...(left !== undefined && { limit: left }),
      ...(from !== undefined && { after: from }),
    })
    for (const { key, value } of page)
      try {
        rows.push({ key, value: await fromRecord(rules, { key, nameOf }, value) })
      } catch (error) {
        // One invalid value must not break the list.
        host.log.warn({ code: 'ERR_STATE_VALUE' }, `omitted from a list: ${(error as Error).message}`)
      }
    // Further values take the places of those that were omitted: a page that is not full is the last one.
    if (limit === undefined || page.length !== left || rows.length >= limit) return rows
    from = page.at(-1)!.key
  }
}

/** The highest values of a state. */
export async function topState<S extends Scope>(
  areas: StateAreas,
  declared: OwnedState,
  name: string,
  options: TopOptions<never>,
): Promise<StateEntry<unknown, S>[]> {
  const { by, limit = 10, ...where } = options
  const all = await listState<S>(areas, declared, name, where)
  return all
    .map((entry) => {
      const rank = by(entry.value as never)
      // With NaN, a rate of 0 games, or undefined, the others would not be in order.
      return { entry, rank: rank > -Infinity ? rank : -Number.MAX_VALUE }
    })
    .sort((a, b) => b.rank - a.rank)
    .slice(0, limit)
    .map(({ entry }) => entry)
}
