import { groundOf, type StateAreas } from './areas.ts'
import { type DeclaredState, fromRecord } from './record.ts'
import { memberPrefix, type Owner, ownerId, type OwnerOf, ownerOf, type Scope, stateKey, statePrefix } from './scope.ts'

/** One kept value and whose it is. */
export interface StateEntry<T, S extends Scope = Scope> {
  owner: OwnerOf<S>
  value: T
}

/** Which of the kept values `state.list` gives. */
export interface ListOptions {
  /** Of `member` states: the server whose members are meant, where it is not the event's. */
  server_id?: string
  /** Go on behind this owner: the last one of the page before. */
  after?: Owner
  /** At most so many. Default 100. */
  limit?: number
}

/** How `state.top` orders the kept values, and how many of them it gives. */
export interface TopOptions<T> {
  /** What is compared; the greatest comes first. Of equal ones the order is that of their owners. */
  by: (value: T) => number
  /** At most so many. Default 10. */
  limit?: number
  server_id?: string
}

/** The values of a state in the order of their owners; all of them without a `limit`. One that does not fit its schema is left out, and logged. */
export async function listState<S extends Scope>(
  areas: StateAreas,
  { scope, rules }: DeclaredState,
  name: string,
  options: ListOptions,
): Promise<StateEntry<unknown, S>[]> {
  const { host, owner } = groundOf(areas)
  const { server_id, after, limit } = options
  const one = server_id === undefined ? owner : { ...owner, server_id }
  const prefix =
    scope === 'member' ? memberPrefix(name, ownerId(scope, name, one, 'server_id')) : statePrefix(scope, name)
  const from = after && stateKey(scope, name, { ...one, ...after })
  const entries: StateEntry<unknown, S>[] = []
  for (const { key, value } of await host.store.list(prefix, {
    ...(limit !== undefined && { limit }),
    ...(from !== undefined && { after: from }),
  })) {
    try {
      entries.push({ owner: ownerOf(scope, name, key) as OwnerOf<S>, value: await fromRecord(rules, key, value) })
    } catch (error) {
      // One broken value must not take the list from everybody.
      host.log.warn({ code: 'ERR_STATE_VALUE' }, `omitted from a list: ${(error as Error).message}`)
    }
  }
  return entries
}

/** The greatest values of a state. */
export async function topState<S extends Scope>(
  areas: StateAreas,
  declared: DeclaredState,
  name: string,
  options: TopOptions<never>,
): Promise<StateEntry<unknown, S>[]> {
  const { by, limit = 10, ...where } = options
  const all = await listState<S>(areas, declared, name, where)
  return all
    .map((entry) => ({ entry, rank: by(entry.value as never) }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, limit)
    .map(({ entry }) => entry)
}
