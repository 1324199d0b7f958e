import type { Clock } from '@botwright/clock'
import type { StateStore, Stored } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { readKey, writeValue } from '../../author/state/store-text.ts'

/** These keys belong to earlier runs of the same events, so they start empty. Those of a plugin begin with its name. */
const eventKeys = /^(?:[a-z][a-z0-9_-]*\/)?(?:once|cooldown|ask|task|broadcast|run):/

/**
 * Reads from a base store and writes to memory. Never changes the base store. The versions of its own writes are
 * negative, so that they never equal a version that was read from the base store.
 */
export class OverlayStore implements StateStore {
  readonly #writes: MemoryStore
  readonly #base: StateStore
  /** Keys that were written or deleted. Their values in the base store are ignored. */
  readonly #overridden = new Set<string>()

  constructor(base: StateStore, clock: Clock) {
    this.#base = base
    this.#writes = new MemoryStore(clock)
  }

  async get(key: string): Promise<Stored | undefined> {
    if (!this.#isOverridden(key)) return this.#base.get(key)
    const stored = await this.#writes.get(key)
    return stored && own(stored)
  }

  async set(key: string, value: unknown, options: { expected?: number; expiresAtMs?: number } = {}): Promise<boolean> {
    const { expected, ...rest } = options
    // A value that cannot be stored must not hide the former one.
    writeValue(readKey(key), value)
    const version =
      expected === undefined || this.#isOverridden(key) ? undefined : ((await this.#base.get(key))?.version ?? 0)
    // It may have been overridden while the base store was read.
    if (this.#isOverridden(key)) return this.#writes.set(key, value, { ...rest, ...ownExpected(expected) })
    if (version !== expected) return false
    this.#overridden.add(key)
    return this.#writes.set(key, value, rest)
  }

  async delete(key: string, options: { expected?: number } = {}): Promise<boolean> {
    const stored = this.#isOverridden(key) ? undefined : await this.#base.get(key)
    // It may have been overridden while the base store was read.
    if (this.#isOverridden(key)) return this.#writes.delete(key, ownExpected(options.expected))
    if (!stored || (options.expected !== undefined && options.expected !== stored.version)) return false
    this.#overridden.add(key)
    return true
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}): Promise<({ key: string } & Stored)[]> {
    const { limit = Infinity, ...rest } = options
    const base = (await this.#base.list(prefix, rest)).filter(({ key }) => !this.#isOverridden(key))
    const writes = (await this.#writes.list(prefix, rest)).map(own)
    const order = (a: { key: string }, b: { key: string }) =>
      Buffer.compare(Buffer.from(a.key, 'utf8'), Buffer.from(b.key, 'utf8'))
    return [...base, ...writes].sort(order).slice(0, limit)
  }

  #isOverridden(key: string): boolean {
    return this.#overridden.has(key) || eventKeys.test(key)
  }
}

const own = <S extends Stored>(stored: S): S => ({ ...stored, version: -stored.version })

/** A version of the base store is positive here, and equals none of the writes. */
const ownExpected = (expected: number | undefined): { expected?: number } =>
  expected === undefined ? {} : { expected: -expected }
