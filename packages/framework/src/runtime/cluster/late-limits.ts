import type { LimitStore, Priority } from '@botwright/rest'

/** A message budget that is there later than the client: a machine joins when it knows which bot it is. Nothing is sent before. */
export class LateLimits implements LimitStore {
  readonly #known: () => LimitStore | undefined

  constructor(known: () => LimitStore | undefined) {
    this.#known = known
  }

  get waiting(): number {
    return this.#known()?.waiting ?? 0
  }
  get used(): number {
    return this.#known()?.used ?? 0
  }
  get limit(): number {
    return this.#known()?.limit ?? Infinity
  }
  get waitMs(): number {
    return this.#known()?.waitMs ?? 0
  }
  take(priority: Priority, signal?: AbortSignal): Promise<void> | void {
    return this.#joined.take(priority, signal)
  }
  release(left: boolean): void {
    this.#joined.release(left)
  }
  again(): void {
    this.#joined.again()
  }
  pause(ms: number): void {
    this.#joined.pause(ms)
  }
  close(): void {
    // A start that is refused has none.
    this.#known()?.close()
  }

  get #joined(): LimitStore {
    const limits = this.#known()
    if (!limits) throw new Error('a message was sent before this instance had joined its cluster')
    return limits
  }
}
