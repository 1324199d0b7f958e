import { cut } from '@botwright/protocol/facts'
import type { StateStore, Stored } from '../../../author/ports.ts'
import { idsOf, readStateKey } from '../../../author/state/scope.ts'
import { plainJson } from '../../../link/redaction.ts'
import { LONGEST_VALUE, type LongValue, type StepHead } from '../../../link/recorded-step.ts'
import type { EventScope } from './event-scope.ts'

/** A longer value is cut. The recorder hides secrets in it, and cuts it further. */
const LONGEST = 64 * 1024

/** A value in JSON, and whether it is a `LongValue`. */
interface JsonValue {
  json: string
  long: boolean
}

type Action = 'get' | 'set' | 'delete' | 'list'

/** The store of a recorded bot: reading and writing the values of `ctx.state` are steps. */
export function recordedStore(store: StateStore, scope: EventScope): StateStore {
  const note = (
    action: Action,
    label: string,
    t: number,
    values: { before?: JsonValue | undefined; after?: JsonValue | undefined } = {},
  ) => {
    const { before, after } = values
    let json = `{"kind":"state","action":"${action}","key":${JSON.stringify(label)}`
    if (before) json += `,"before":${before.json}`
    if (after) json += `,"after":${after.json}`
    const long = before?.long === true || after?.long === true
    scope.noteHead(json as StepHead, { t, ms: scope.now() - t, long })
  }
  return {
    async get(key) {
      const label = labelOf(key)
      if (label === undefined) return store.get(key)
      const t = scope.now()
      const stored = await store.get(key)
      note('get', label, t, { before: valueOf(stored?.value) })
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
      if (done) note('set', label, t, { before, after })
      return done
    },
    async delete(key, options) {
      const label = labelOf(key)
      if (label === undefined) return store.delete(key, options)
      const t = scope.now()
      const former = formerOf(store, key)
      const [done, before] = await Promise.all([store.delete(key, options), former])
      if (done) note('delete', label, t, { before })
      return done
    },
    async list(prefix, options) {
      const label = labelOf(prefix)
      if (label === undefined) return store.list(prefix, options)
      const t = scope.now()
      const listed = await store.list(prefix, options)
      note('list', label, t)
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
const formerOf = (store: StateStore, key: string): Promise<JsonValue | undefined> =>
  store.get(key).then(
    (stored: Stored | undefined) => valueOf(stored?.value),
    // The write reports why the store fails.
    () => undefined,
  )

/** The author's value in a stored record, for a step. */
export function valueOf(stored: unknown): JsonValue | undefined {
  if (typeof stored !== 'object' || stored === null || !('value' in stored)) return undefined
  const json = plainJson(stored.value)
  if (json === undefined) return undefined
  if (json.length <= LONGEST_VALUE) return { json: `{"value":${json}}`, long: false }
  const value: LongValue = { long: cut(json, LONGEST), length: json.length }
  return { json: JSON.stringify(value), long: true }
}
