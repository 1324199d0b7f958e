import { wellFormed } from '@botwright/protocol/facts'
import { type Clock, systemClock } from '@botwright/clock'
import type { StateStore, Stored } from '../../author/ports.ts'
import { byCodePoint, readKey, writeValue, type StoredText, toStored } from '../../author/state/store-text.ts'
import { inTurn } from '../../author/state/turns.ts'

/** The interface of unstorage and similar stores. */
export interface KeyValueStorage {
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  getKeys(base?: string): Promise<string[]>
}

/** The number of writes after which expired keys are searched. */
const SWEEP_AFTER = 1000

/**
 * Stores a bot's values in unstorage (Redis, files, a cloud's key-value store …):
 * `store: ({ clock }) => keyValueStore(createStorage({ driver }), clock)` in `bot.config.ts`. With the bot's clock, values also expire in
 * a test that moves it; default: the machine's clock. Such stores cannot compare before they write, so "only if unchanged"
 * works within one process: run the bot in a single process. A list reads every key of the storage, and then each value separately.
 */
export function keyValueStore(storage: KeyValueStorage, clock: Clock = systemClock): StateStore {
  let lastVersion = 0
  // Each write of this process gets a higher one, also after a restart.
  const nextVersion = () => (lastVersion = Math.max(lastVersion + 1, clock.now() * 1000))

  const find = async (key: string): Promise<StoredText | undefined> => {
    const item = await storage.getItem(toItem(key))
    if (item === null || item === undefined) return undefined
    // Some storages parse texts that look like JSON themselves.
    const stored = (typeof item === 'string' ? JSON.parse(item) : item) as StoredText
    return stored.expiresAtMs !== undefined && stored.expiresAtMs <= clock.now() ? undefined : stored
  }
  /** Removes an expired value, unless it was set again. Turns are those of the storage: an update has one of the store, and writes within it. */
  const forget = (key: string) =>
    inTurn(storage, key, async () => {
      if (!(await find(key))) await storage.removeItem(toItem(key))
    })
  /** Keys to check, one with each write: many expired keys are never read again. */
  let unswept: string[] = []
  let writes = 0
  const sweep = async (): Promise<void> => {
    if (++writes % SWEEP_AFTER === 0) unswept = (await storage.getKeys()).flatMap((item) => toKey(item) ?? [])
    const key = unswept.pop()
    if (key !== undefined && !(await find(key))) await forget(key)
  }
  const store: StateStore = {
    async get(key) {
      const stored = await find(readKey(key))
      return stored && toStored(stored)
    },
    async set(key, value, { expected, expiresAtMs } = {}) {
      const name = readKey(key)
      const text = writeValue(name, value)
      // Its findings do not affect this write.
      await sweep().catch(() => undefined)
      return inTurn(storage, name, async () => {
        if (expected !== undefined && expected !== ((await find(name))?.version ?? 0)) return false
        const stored: StoredText = { text, version: nextVersion(), ...(expiresAtMs !== undefined && { expiresAtMs }) }
        await storage.setItem(toItem(name), JSON.stringify(stored))
        return true
      })
    },
    async delete(key, { expected } = {}) {
      const name = readKey(key)
      return inTurn(storage, name, async () => {
        const stored = await find(name)
        if (!stored || (expected !== undefined && expected !== stored.version)) return false
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
        const stored = await find(key)
        if (stored) found.push({ key, ...toStored(stored) })
        else await forget(key)
      }
      return found
    },
  }
  return store
}

const MARK = 'botwright_'

/** Storages read `:` and `/` as folders, and some file systems ignore case: keys use only a-z, 0-9, - and _. */
const toItem = (key: string): string =>
  MARK +
  [...Buffer.from(key)]
    .map((byte) => (/[a-z0-9-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `_${hex(byte)}`))
    .join('')
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

/** Undefined for keys of other programs. */
function toKey(item: string): string | undefined {
  if (!item.startsWith(MARK)) return undefined
  const text = item.slice(MARK.length)
  return Buffer.from(
    text.replace(/_(..)|-|[a-z0-9]/g, (one, code?: string) => code ?? hex(one.charCodeAt(0))),
    'hex',
  ).toString()
}
