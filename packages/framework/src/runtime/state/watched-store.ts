import type { StateStore } from '../../author/ports.ts'

/** A store that reports writes: handlers in any thread schedule tasks by writing to it. */
export class WatchedStore implements StateStore {
  /** Called with each value that was written. */
  onWrite: ((key: string, value: unknown) => void) | undefined
  /** Changes a value before it is stored, for example to add the id of the instance. */
  stamp: ((key: string, value: unknown) => unknown) | undefined
  readonly #store: StateStore

  constructor(store: StateStore) {
    this.#store = store
  }

  get(key: string) {
    return this.#store.get(key)
  }

  async set(...[key, value, options]: Parameters<StateStore['set']>): Promise<boolean> {
    const done = await this.#store.set(key, this.stamp ? this.stamp(key, value) : value, options)
    if (done) this.onWrite?.(key, value)
    return done
  }

  delete(...args: Parameters<StateStore['delete']>) {
    return this.#store.delete(...args)
  }

  list(...args: Parameters<StateStore['list']>) {
    return this.#store.list(...args)
  }
}
