import type { Clock } from '@botwright/clock'
import type { StateStore, Stored } from '../ports.ts'
import { byCodePoint, readKey, wellFormed, writeValue } from './store-text.ts'

interface Kept {
  text: string
  version: number
  expiresAtMs: number | undefined
}

/** Keeps values as long as it lives itself: for tests, and for bots that keep nothing over a restart. */
export class MemoryStore implements StateStore {
  readonly #kept = new Map<string, Kept>()
  readonly #clock: Clock
  #lastVersion = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async get(key: string): Promise<Stored | undefined> {
    const kept = this.#find(readKey(key))
    return kept && toStored(kept)
  }

  async set(key: string, value: unknown, options: { expected?: number; expiresAtMs?: number } = {}): Promise<boolean> {
    const { expected, expiresAtMs } = options
    const name = readKey(key)
    const text = writeValue(name, value)
    if (expected !== undefined && expected !== (this.#find(name)?.version ?? 0)) return false
    this.#kept.set(name, { text, expiresAtMs, version: ++this.#lastVersion })
    return true
  }

  async delete(key: string, { expected }: { expected?: number } = {}): Promise<boolean> {
    const name = readKey(key)
    const kept = this.#find(name)
    if (!kept || (expected !== undefined && expected !== kept.version)) return false
    return this.#kept.delete(name)
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}): Promise<({ key: string } & Stored)[]> {
    const { after, limit = Infinity } = options
    const start = wellFormed(prefix)
    const from = after === undefined ? undefined : wellFormed(after)
    return [...this.#kept.keys()]
      .filter((key) => key.startsWith(start) && (from === undefined || byCodePoint(key, from) > 0) && this.#find(key))
      .sort(byCodePoint)
      .slice(0, limit)
      .map((key) => ({ key, ...toStored(this.#kept.get(key)!) }))
  }

  /** What has expired is forgotten when it is met. */
  #find(key: string): Kept | undefined {
    const kept = this.#kept.get(key)
    if (kept?.expiresAtMs === undefined || kept.expiresAtMs > this.#clock.now()) return kept
    this.#kept.delete(key)
    return undefined
  }
}

/** A copy each time: what a reader does to it changes nothing that is kept. */
const toStored = ({ text, version, expiresAtMs }: Kept): Stored => ({
  value: JSON.parse(text) as unknown,
  version,
  ...(expiresAtMs !== undefined && { expiresAtMs }),
})
