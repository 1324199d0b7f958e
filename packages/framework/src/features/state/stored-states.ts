// The values of declared states as they are stored, for `framework state`.

import { systemClock } from '@botwright/clock'
import { type AnyScope, type Owner, readStateKey, stateKey } from '../../author/state/scope.ts'
import { fileIn, openToRead, parse, storeIn } from '../stored-state/state-file.ts'

/** A value of a declared state as it is stored, before its schema and migrations apply. */
export interface StoredState {
  /** The plugin that declares the state; absent for the bot's own. */
  plugin?: string
  name: string
  scope: AnyScope
  owner: Owner
  /** The version of the declaration that wrote it. */
  version: number
  value: unknown
  expires_at?: string
}

/** Identifies a state and its owner. */
export type StateAddress = Pick<StoredState, 'plugin' | 'name' | 'scope' | 'owner'>

/** The stored values of a bot, in the order of their keys. Can be called while the bot runs, and changes nothing. Throws `ERR_CONFIG`. */
export function readStates(
  folder: string,
  botId: string,
  only: { plugin?: string; name?: string } = {},
): StoredState[] {
  using db = openToRead(fileIn(folder))
  const rows = db
    .prepare<{ key: string; value: string; expires_at_ms: number | null }>(
      `SELECT key, value, expires_at_ms FROM value
       WHERE bot = ? AND instr(key, 'state:') > 0 AND (expires_at_ms IS NULL OR expires_at_ms > ?) ORDER BY key`,
    )
    .all(botId, systemClock.now())
  return rows.flatMap(({ key, value, expires_at_ms: expiresMs }) => {
    const address = readStateKey(key)
    if (!address || (only.name !== undefined && (address.name !== only.name || address.plugin !== only.plugin)))
      return []
    const stored = parse(folder, key, value)
    return {
      ...address,
      version: stored.v ?? 1,
      value: stored.value,
      ...(expiresMs !== null && { expires_at: new Date(Number(expiresMs)).toISOString() }),
    }
  })
}

/**
 * Stores a value as written by the given version of the declaration, and keeps its expiry. Safe while the bot runs: the bot reads each
 * value from the file, and its `update()` retries after a concurrent write. Throws `ERR_CONFIG` or `ERR_STATE`.
 */
export async function writeState(
  folder: string,
  botId: string,
  { plugin, name, scope, owner, version, value }: StateAddress & Pick<StoredState, 'version' | 'value'>,
): Promise<void> {
  using store = storeIn(folder, botId)
  const key = `${plugin === undefined ? '' : `${plugin}/`}${stateKey(scope, name, owner)}`
  const former = await store.get(key)
  const expiry = former?.expiresAtMs === undefined ? {} : { expiresAtMs: former.expiresAtMs }
  await store.set(key, { v: version, value }, expiry)
}
