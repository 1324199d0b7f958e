import type { StateStore } from '../../author/ports.ts'

/** The store, with somebody who hears of what is written under a prefix: handlers schedule by writing, whatever thread they run in. */
export class WatchedStore implements StateStore {
  /** Hears of each key that is written. */
  heard: ((key: string) => void) | undefined
  /** What is kept in place of a value, such as one that names its machine. */
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
    if (done) this.heard?.(key)
    return done
  }

  delete(...given: Parameters<StateStore['delete']>) {
    return this.#store.delete(...given)
  }

  list(...given: Parameters<StateStore['list']>) {
    return this.#store.list(...given)
  }
}
