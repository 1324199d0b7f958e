import { BotwrightError } from '@botwright/protocol/facts'
import type { Definition, Owner, StateStore } from '@botwright/framework'
import { stateKey } from '@botwright/framework/start'

/** A stored value, with the version of the declaration that wrote it. */
export interface KeptValue {
  version: number
  value: unknown
}

/** A test bot's state as it is stored: without migrations and schemas. */
export class TestState {
  readonly #store: StateStore
  readonly #definitions: readonly Definition[]

  /** @internal */
  constructor(store: StateStore, definitions: readonly Definition[]) {
    this.#store = store
    this.#definitions = definitions
  }

  /** Stores a value as an older version of the bot would have: `seed('pot', { channel_id }, 'mint', { version: 1 })`. Throws `ERR_INVALID_REQUEST`. */
  async seed(name: string, owner: Owner, value: unknown, { version = 1 }: { version?: number } = {}): Promise<void> {
    await this.#store.set(this.#key(name, owner), { v: version, value })
  }

  /** The stored value, undefined if there is none. Throws `ERR_INVALID_REQUEST`. */
  async read(name: string, owner: Owner): Promise<KeptValue | undefined> {
    const kept = (await this.#store.get(this.#key(name, owner)))?.value as { v: number; value: unknown } | undefined
    return kept && { version: kept.v, value: kept.value }
  }

  #key(name: string, owner: Owner): string {
    const states = this.#definitions.filter(({ kind }) => kind === 'state')
    const found = states.find((state) => state.name === name)
    // A plugin stores all its values under its own name.
    const prefix = found?.plugin === undefined ? '' : `${found.plugin}/`
    if (found?.scope) return prefix + stateKey(found.scope, name, owner)
    const names = states.map((state) => state.name).join(', ') || 'none'
    throw new BotwrightError('ERR_INVALID_REQUEST', `the bot has no state "${name}"; available: ${names}`)
  }
}
