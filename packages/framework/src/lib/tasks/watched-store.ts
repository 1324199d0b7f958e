import type { StateStore } from '../ports.ts'

/** The store, with somebody who hears of what is written under a prefix: handlers schedule by writing, whatever thread they run in. */
export class WatchedStore implements StateStore {
  /** Hears of each key that is written. */
  heard: ((key: string) => void) | undefined
  readonly #store: StateStore

  constructor(store: StateStore) {
    this.#store = store
  }

  get(key: string) {
    return this.#store.get(key)
  }

  async set(...given: Parameters<StateStore['set']>): Promise<boolean> {
    const done = await this.#store.set(...given)
    if (done) this.heard?.(given[0])
    return done
  }

  delete(...given: Parameters<StateStore['delete']>) {
    return this.#store.delete(...given)
  }

  list(...given: Parameters<StateStore['list']>) {
    return this.#store.list(...given)
  }
}
