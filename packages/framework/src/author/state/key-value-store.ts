import type { Clock } from '@botwright/clock'
import { systemClock } from '@botwright/clock'
import type { StateStore, Stored } from '../ports.ts'
import { byCodePoint, readKey, wellFormed, writeValue, type StoredText, toStored } from './store-text.ts'
import { inTurn } from './turns.ts'

/** What unstorage and stores like it offer. */
export interface KeyValueStorage {
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  getKeys(base?: string): Promise<string[]>
}

/** After so many writes the keys are read again, to look for those that have expired. */
const SWEEP_AFTER = 1000

/**
 * Keeps a bot's values in unstorage (Redis, files, a cloud's key-value store …):
 * `store: ({ clock }) => keyValueStore(createStorage({ driver }), clock)` in `bot.config.ts`. By the bot's clock values expire also in
 * a test that moves it; without one it is the machine's. Such stores compare nothing before they write, so "only if it is unchanged"
 * holds within one process: let one process run the bot. A list reads every key of the storage, and then each value by itself.
 */
export function keyValueStore(storage: KeyValueStorage, clock: Clock = systemClock): StateStore {
  let lastVersion = 0
  // Every write of this process gets a greater one, also after a restart.
  const nextVersion = () => (lastVersion = Math.max(lastVersion + 1, clock.now() * 1000))

  const find = async (key: string): Promise<StoredText | undefined> => {
    const item = await storage.getItem(toItem(key))
    if (item === null || item === undefined) return undefined
    // Storages that parse what looks like JSON have done so already.
    const kept = (typeof item === 'string' ? JSON.parse(item) : item) as StoredText
    return kept.expiresAtMs !== undefined && kept.expiresAtMs <= clock.now() ? undefined : kept
  }
  /** Removes what has expired, unless it was set anew. */
  const forget = (key: string) =>
    inTurn(store, key, async () => {
      if (!(await find(key))) await storage.removeItem(toItem(key))
    })
  /** Keys that are looked at, one with each write: many that have expired are never asked for again. */
  let unswept: string[] = []
  let writes = 0
  const sweep = async (): Promise<void> => {
    if (++writes % SWEEP_AFTER === 0) unswept = (await storage.getKeys()).flatMap((item) => toKey(item) ?? [])
    const key = unswept.pop()
    if (key !== undefined && !(await find(key))) await forget(key)
  }
  const store: StateStore = {
    async get(key) {
      const kept = await find(readKey(key))
      return kept && toStored(kept)
    },
    async set(key, value, { expected, expiresAtMs } = {}) {
      const name = readKey(key)
      const text = writeValue(name, value)
      // What it meets is no matter of this write.
      await sweep().catch(() => undefined)
      return inTurn(store, name, async () => {
        if (expected !== undefined && expected !== ((await find(name))?.version ?? 0)) return false
        const kept: StoredText = { text, version: nextVersion(), ...(expiresAtMs !== undefined && { expiresAtMs }) }
        await storage.setItem(toItem(name), JSON.stringify(kept))
        return true
      })
    },
    async delete(key, { expected } = {}) {
      const name = readKey(key)
      return inTurn(store, name, async () => {
        const kept = await find(name)
        if (!kept || (expected !== undefined && expected !== kept.version)) return false
        await storage.removeItem(toItem(name))
        return true
      })
    },
    async list(prefix, { after, limit = Infinity } = {}) {
      const start = wellFormed(prefix)
      const from = after === undefined ? undefined : wellFormed(after)
      const keys = (await storage.getKeys())
        .flatMap((item) => toKey(item) ?? [])
        .filter((key) => key.startsWith(start) && (from === undefined || byCodePoint(key, from) > 0))
        .sort(byCodePoint)
      const found: ({ key: string } & Stored)[] = []
      for (const key of keys) {
        if (found.length >= limit) break
        const kept = await find(key)
        if (kept) found.push({ key, ...toStored(kept) })
        else await forget(key)
      }
      return found
    },
  }
  return store
}

const MARK = 'botwright_'

/** Storages read `:` and `/` as folders, and some file systems take a and A for one: a key is written with a-z, 0-9, - and _ alone. */
const toItem = (key: string): string =>
  MARK +
  [...Buffer.from(key)]
    .map((byte) => (/[a-z0-9-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `_${hex(byte)}`))
    .join('')
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

/** Undefined for what is not the bot's. */
function toKey(item: string): string | undefined {
  if (!item.startsWith(MARK)) return undefined
  const text = item.slice(MARK.length)
  return Buffer.from(
    text.replace(/_(..)|-|[a-z0-9]/g, (one, code?: string) => code ?? hex(one.charCodeAt(0))),
    'hex',
  ).toString()
}
