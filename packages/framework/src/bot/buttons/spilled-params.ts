// The params of buttons that are too large for a custom_id, in the bot's store.

import type { Clock } from '@botwright/clock'
import type { Button } from '@botwright/protocol/shapes'
import type { Log, StateStore } from '../../author/ports.ts'
import { isSpilledId } from '../../author/buttons/custom-id.ts'
import { type ParamsToStore, paramsToStore } from '../../author/buttons/spill.ts'
import type { Layer } from '../layer.ts'

export const paramsKey = (custom_id: string): string => `button:${custom_id}`

/** The spilled params of one bot. */
export class SpilledParams {
  readonly #store: StateStore
  readonly #clock: Clock
  readonly #log: Log

  constructor({ store, clock, log }: { store: StateStore; clock: Clock; log: Log }) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  // The packed params of the button with this id; undefined if they have expired.
  async read(custom_id: string): Promise<string | undefined> {
    const value = (await this.#store.get(paramsKey(custom_id)))?.value
    return typeof value === 'string' ? value : undefined
  }

  // Saves the params of a message's buttons. Returns undefined if there is nothing to save.
  save(components: unknown): Promise<unknown> | undefined {
    if (!Array.isArray(components)) return undefined
    let writes: Promise<unknown>[] | undefined
    for (const row of components as { components?: unknown }[]) {
      if (!Array.isArray(row?.components)) continue
      for (const one of row.components as (Button & { [paramsToStore]?: ParamsToStore })[]) {
        const custom_id = one?.custom_id
        if (typeof custom_id !== 'string') continue
        const what = one[paramsToStore]
        if (what) (writes ??= []).push(this.#write(custom_id, what))
        else if (isSpilledId(custom_id)) (writes ??= []).push(this.#find(custom_id))
      }
    }
    return writes && Promise.all(writes)
  }

  #write(custom_id: string, { packed, forMs }: ParamsToStore): Promise<unknown> {
    return this.#store.set(paramsKey(custom_id), packed, { expiresAtMs: this.#clock.now() + forMs })
  }

  // Warns about a button without params that is not in the store: it was copied with JSON. Buttons of received messages are in the store.
  async #find(custom_id: string): Promise<void> {
    if ((await this.read(custom_id)) !== undefined) return
    this.#log.warn(
      { code: 'ERR_CUSTOM_ID', custom_id },
      `the params of the button "${custom_id}" are not in the store: clicks on it will be outdated. Send the object that .button() returns; a copy made with JSON has lost its params`,
    )
  }
}

/** Saves the params of buttons before their message is sent, so that no click can arrive earlier. */
export const storingSpilled = (spilled: SpilledParams): Layer => ({
  call: (call) => (name, input, options) => {
    const saved = spilled.save((input as { components?: unknown }).components)
    return saved ? saved.then(() => call(name, input, options)) : call(name, input, options)
  },
})
