import type { StateStore, Stored } from '../../author/ports.ts'
import { idsOf, readStateKey } from '../../author/state/scope.ts'
import { plainJson } from '../../link/redaction.ts'
import type { LinkedValue } from '../../link/recorded-step.ts'
import type { EventScope } from './event-scope.ts'

/** A longer value is cut. The recorder hides secrets in it, and cuts it further. */
const LONGEST = 64 * 1024

/** The store of a recorded bot: reading and writing the values of `ctx.state` are steps. */
export function recordedStore(store: StateStore, scope: EventScope): StateStore {
  return {
    async get(key) {
      const label = labelOf(key)
      if (label === undefined) return store.get(key)
      const t = scope.now()
      const stored = await store.get(key)
      scope.note({ kind: 'state', action: 'get', key: label, before: valueOf(stored?.value), t, ms: scope.now() - t })
      return stored
    },
    async set(key, value, options) {
      const label = labelOf(key)
      if (label === undefined) return store.set(key, value, options)
      const t = scope.now()
      const after = valueOf(value)
      const former = formerOf(store, key)
      const [done, before] = await Promise.all([store.set(key, value, options), former])
      // If another write came first, the caller reads the value again.
      if (done) scope.note({ kind: 'state', action: 'set', key: label, before, after, t, ms: scope.now() - t })
      return done
    },
    async delete(key, options) {
      const label = labelOf(key)
      if (label === undefined) return store.delete(key, options)
      const t = scope.now()
      const former = formerOf(store, key)
      const [done, before] = await Promise.all([store.delete(key, options), former])
      if (done) scope.note({ kind: 'state', action: 'delete', key: label, before, t, ms: scope.now() - t })
      return done
    },
    async list(prefix, options) {
      const label = labelOf(prefix)
      if (label === undefined) return store.list(prefix, options)
      const t = scope.now()
      const listed = await store.list(prefix, options)
      scope.note({ kind: 'state', action: 'list', key: label, t, ms: scope.now() - t })
      return listed
    },
  }
}

/** `user.points [id]`, or `bot.topic`. Undefined for what the framework itself stores. */
function labelOf(key: string): string | undefined {
  if (!key.includes('state:')) return undefined
  const found = readStateKey(key)
  if (!found) return undefined
  const { plugin, scope, name, owner } = found
  const ids = idsOf[scope].flatMap((id) => owner[id] || [])
  const label = `${plugin === undefined ? '' : `${plugin}/`}${scope}.${name}`
  return ids.length === 0 ? label : `${label} [${ids.join(' ')}]`
}

/** The value before a write. The store answers in order, so this costs no further wait. */
const formerOf = (store: StateStore, key: string): Promise<LinkedValue | undefined> =>
  store.get(key).then(
    (stored: Stored | undefined) => valueOf(stored?.value),
    // The write reports why the store fails.
    () => undefined,
  )

/** The author's value in a stored record. */
function valueOf(stored: unknown): LinkedValue | undefined {
  if (typeof stored !== 'object' || stored === null || !('value' in stored)) return undefined
  const json = plainJson(stored.value)
  return json === undefined ? undefined : { json: json.slice(0, LONGEST), length: json.length }
}
