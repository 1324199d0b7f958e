import type { Clock } from '@botwright/clock'
import type { StateStore, Stored } from '../ports.ts'
import { byCodePoint, readKey, type StoredText, toStored, wellFormed, writeValue } from './store-text.ts'

/** After so many writes what has expired is looked for; later where more is kept, so that a write costs the same however much that is. */
const SWEEP_AFTER = 1000

/** Keeps values as long as it lives itself: for tests, and for bots that keep nothing over a restart. */
export class MemoryStore implements StateStore {
  readonly #kept = new Map<string, StoredText>()
  readonly #clock: Clock
  #lastVersion = 0
  #untilSweep = SWEEP_AFTER

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @internal How many values are held, those that have expired and were not looked for since among them. */
  get size(): number {
    return this.#kept.size
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
    if (--this.#untilSweep <= 0) this.#sweep()
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

  /** Many keys are never asked for again: those of cooldowns, and of what an event does once. */
  #sweep(): void {
    for (const key of this.#kept.keys()) this.#find(key)
    this.#untilSweep = Math.max(SWEEP_AFTER, this.#kept.size)
  }

  /** What has expired is forgotten when it is met. */
  #find(key: string): StoredText | undefined {
    const kept = this.#kept.get(key)
    if (kept?.expiresAtMs === undefined || kept.expiresAtMs > this.#clock.now()) return kept
    this.#kept.delete(key)
    return undefined
  }
}
