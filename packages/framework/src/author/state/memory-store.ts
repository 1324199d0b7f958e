import { wellFormed } from '@botwright/protocol/facts'
import type { Clock } from '@botwright/clock'
import type { StateStore, Stored } from '../ports.ts'
import { byCodePoint, readKey, type StoredText, toStored, writeValue } from './store-text.ts'

/** The number of writes after which expired values are searched; it grows with the size, so that the cost per write stays constant. */
const SWEEP_AFTER = 1000

/** Stores values in memory: for tests, and for bots that need nothing after a restart. */
export class MemoryStore implements StateStore {
  readonly #values = new Map<string, StoredText>()
  readonly #clock: Clock
  #lastVersion = 0
  #untilSweep = SWEEP_AFTER

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @internal The number of stored values, including expired ones that were not removed yet. */
  get size(): number {
    return this.#values.size
  }

  async get(key: string): Promise<Stored | undefined> {
    const stored = this.#find(readKey(key))
    return stored && toStored(stored)
  }

  async set(key: string, value: unknown, options: { expected?: number; expiresAtMs?: number } = {}): Promise<boolean> {
    const { expected, expiresAtMs } = options
    const name = readKey(key)
    const text = writeValue(name, value)
    if (expected !== undefined && expected !== (this.#find(name)?.version ?? 0)) return false
    this.#values.set(name, { text, expiresAtMs, version: ++this.#lastVersion })
    if (--this.#untilSweep <= 0) this.#sweep()
    return true
  }

  async delete(key: string, { expected }: { expected?: number } = {}): Promise<boolean> {
    const name = readKey(key)
    const stored = this.#find(name)
    if (!stored || (expected !== undefined && expected !== stored.version)) return false
    return this.#values.delete(name)
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}): Promise<({ key: string } & Stored)[]> {
    const { after, limit = Infinity } = options
    const start = wellFormed(prefix)
    const from = after === undefined ? undefined : wellFormed(after)
    return [...this.#values.keys()]
      .filter((key) => key.startsWith(start) && (from === undefined || byCodePoint(key, from) > 0) && this.#find(key))
      .sort(byCodePoint)
      .slice(0, limit)
      .map((key) => ({ key, ...toStored(this.#values.get(key)!) }))
  }

  /** Many keys are never read again: those of cooldowns, and of `once`. */
  #sweep(): void {
    for (const key of this.#values.keys()) this.#find(key)
    this.#untilSweep = Math.max(SWEEP_AFTER, this.#values.size)
  }

  /** Expired values are removed when they are read. */
  #find(key: string): StoredText | undefined {
    const stored = this.#values.get(key)
    if (stored?.expiresAtMs === undefined || stored.expiresAtMs > this.#clock.now()) return stored
    this.#values.delete(key)
    return undefined
  }
}
