import type { Clock } from '@botwright/clock'
import type { StateStore, Stored } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'

/** What these keys say is about the very events that run again: they begin empty. */
const ownOfEvents = ['once:', 'cooldown:', 'ask:', 'task:', 'broadcast:']

/** Reads a store, and writes beside it: what stands below is never changed. */
export class OverlayStore implements StateStore {
  readonly #above: MemoryStore
  readonly #below: StateStore
  /** Keys that were written or deleted: what stands below them counts no more. */
  readonly #covered = new Set<string>()

  constructor(below: StateStore, clock: Clock) {
    this.#below = below
    this.#above = new MemoryStore(clock)
  }

  async get(key: string): Promise<Stored | undefined> {
    return this.#isCovered(key) ? this.#above.get(key) : this.#below.get(key)
  }

  async set(key: string, value: unknown, options: { expected?: number; expiresAtMs?: number } = {}): Promise<boolean> {
    const { expected, ...rest } = options
    if (this.#isCovered(key)) return this.#above.set(key, value, options)
    if (expected !== undefined && expected !== ((await this.#below.get(key))?.version ?? 0)) return false
    this.#covered.add(key)
    return this.#above.set(key, value, rest)
  }

  async delete(key: string, options: { expected?: number } = {}): Promise<boolean> {
    if (this.#isCovered(key)) return this.#above.delete(key, options)
    const kept = await this.#below.get(key)
    if (!kept || (options.expected !== undefined && options.expected !== kept.version)) return false
    this.#covered.add(key)
    return true
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}): Promise<({ key: string } & Stored)[]> {
    const { limit = Infinity, ...rest } = options
    const below = (await this.#below.list(prefix, rest)).filter(({ key }) => !this.#isCovered(key))
    const above = await this.#above.list(prefix, rest)
    const order = (a: { key: string }, b: { key: string }) =>
      Buffer.compare(Buffer.from(a.key, 'utf8'), Buffer.from(b.key, 'utf8'))
    return [...below, ...above].sort(order).slice(0, limit)
  }

  #isCovered(key: string): boolean {
    return this.#covered.has(key) || ownOfEvents.some((prefix) => key.startsWith(prefix))
  }
}
