// Params that are too large for a custom_id stand in the bot's store; the id holds a key that is made of them.

import type { Clock } from '@botwright/clock'
import type { Button } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { durationMs, type Duration } from '../duration.ts'
import type { Log, StateStore } from '../ports.ts'
import { isSpilledId } from './custom-id.ts'
import { lateCrypto } from '../late-crypto.ts'

const DEFAULT_MS = 30 * 24 * 60 * 60 * 1000
/** 16 bytes: two buttons of different params never meet under one key. */
const KEY_BYTES = 16

/** For how long the params of a button are kept; undefined when they travel in the `custom_id`. */
export function spillMsOf(spill: boolean | Duration | undefined): number | undefined {
  if (spill === undefined || spill === false) return undefined
  return spill === true ? DEFAULT_MS : durationMs(spill, "a button's spill")
}

/** The same params give the same key: a message that is drawn again fills nothing. */
export const keyOf = (packed: string): string =>
  lateCrypto().createHash('sha256').update(packed).digest().subarray(0, KEY_BYTES).toString('base64url')

/** Where a button carries what is to be kept when it is sent. A copy (`{ ...made, disabled: true }`) carries it too, JSON does not. */
const toKeep: unique symbol = Symbol.for('botwright.spilled') as never

interface ToKeep {
  packed: string
  forMs: number
}

/** A button whose params are to be kept once it is sent. */
export const spilling = (made: Button, what: ToKeep): Button => Object.assign(made, { [toKeep]: what })

const PREFIX = 'button:'

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

  // What a button with this id was made with, packed; undefined when it is over.
  async read(custom_id: string): Promise<string | undefined> {
    const value = (await this.#store.get(PREFIX + custom_id))?.value
    return typeof value === 'string' ? value : undefined
  }

  // Keeps what the buttons of a message carry. Undefined: there is nothing to keep, nor to wait for.
  keep(components: unknown): Promise<unknown> | undefined {
    if (!Array.isArray(components)) return undefined
    let writes: Promise<unknown>[] | undefined
    for (const row of components as { components?: unknown }[]) {
      if (!Array.isArray(row?.components)) continue
      for (const one of row.components as (Button & { [toKeep]?: ToKeep })[]) {
        const custom_id = one?.custom_id
        if (typeof custom_id !== 'string') continue
        const what = one[toKeep]
        if (what) (writes ??= []).push(this.#write(custom_id, what))
        else if (isSpilledId(custom_id)) (writes ??= []).push(this.#find(custom_id))
      }
    }
    return writes && Promise.all(writes)
  }

  #write(custom_id: string, { packed, forMs }: ToKeep): Promise<unknown> {
    return this.#store.set(PREFIX + custom_id, packed, { expiresAtMs: this.#clock.now() + forMs })
  }

  // A button of a message that came from the service, or one that went through JSON: only the first is in the store.
  async #find(custom_id: string): Promise<void> {
    if ((await this.read(custom_id)) !== undefined) return
    this.#log.warn(
      { code: 'ERR_CUSTOM_ID', custom_id },
      `the params of the button "${custom_id}" are not in the store: clicks on it will be outdated. Send the object that .button() returns; a copy made with JSON has lost its params`,
    )
  }
}

/** Keeps what the buttons of a message carry before the message leaves: nobody can click sooner. */
export const keepingSpilled =
  (call: Call, spilled: SpilledParams): Call =>
  (name, input, options) => {
    const kept = spilled.keep((input as { components?: unknown }).components)
    return kept ? kept.then(() => call(name, input, options)) : call(name, input, options)
  }
