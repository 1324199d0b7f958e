// Params that are too large for a custom_id are in the bot's store; the id contains a key derived from them.

import { createHash } from 'node:crypto'
import type { Button } from '@botwright/protocol/shapes'
import { durationMs, type Duration } from '../time/duration.ts'

const DEFAULT_MS = 30 * 24 * 60 * 60 * 1000
/** 16 bytes: different params never share a key. */
const KEY_BYTES = 16

/** How long the params of a button are kept; undefined if they are in the `custom_id`. */
export function spillMsOf(spill: boolean | Duration | undefined): number | undefined {
  if (spill === undefined || spill === false) return undefined
  return spill === true ? DEFAULT_MS : durationMs(spill, "a button's spill")
}

/** Equal params have the same key: sending a message again adds nothing to the store. */
export const keyOf = (packed: string): string =>
  createHash('sha256').update(packed).digest().subarray(0, KEY_BYTES).toString('base64url')

/** The field of a button with the data to store when it is sent. A copy (`{ ...made, disabled: true }`) has it too, JSON does not. */
export const paramsToStore: unique symbol = Symbol.for('botwright.spilled') as never

export interface ParamsToStore {
  packed: string
  forMs: number
}

/** A button whose params are stored when it is sent. */
export const spilling = (made: Button, what: ParamsToStore): Button => Object.assign(made, { [paramsToStore]: what })
