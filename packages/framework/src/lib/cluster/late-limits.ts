import type { LimitStore, Priority } from '@botwright/rest'

/** A message budget that is there later than the client: a machine joins when it knows which bot it is. */
export class LateLimits implements LimitStore {
  readonly #find: () => LimitStore

  constructor(find: () => LimitStore) {
    this.#find = find
  }

  get waiting(): number {
    return this.#find().waiting
  }
  get used(): number {
    return this.#find().used
  }
  get limit(): number {
    return this.#find().limit
  }
  get waitMs(): number {
    return this.#find().waitMs
  }
  take(priority: Priority, signal?: AbortSignal): Promise<void> | void {
    return this.#find().take(priority, signal)
  }
  release(left: boolean): void {
    this.#find().release(left)
  }
  again(): void {
    this.#find().again()
  }
  pause(ms: number): void {
    this.#find().pause(ms)
  }
  close(): void {
    this.#find().close()
  }
}
