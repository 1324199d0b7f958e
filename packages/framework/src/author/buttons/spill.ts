// Params that are too large for a custom_id stand in the bot's store; the id holds a key that is made of them.

import { createHash } from 'node:crypto'
import type { Button } from '@botwright/protocol/shapes'
import { durationMs, type Duration } from '../duration.ts'

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
  createHash('sha256').update(packed).digest().subarray(0, KEY_BYTES).toString('base64url')

/** Where a button carries what is to be kept when it is sent. A copy (`{ ...made, disabled: true }`) carries it too, JSON does not. */
export const toKeep: unique symbol = Symbol.for('botwright.spilled') as never

export interface ToKeep {
  packed: string
  forMs: number
}

/** A button whose params are to be kept once it is sent. */
export const spilling = (made: Button, what: ToKeep): Button => Object.assign(made, { [toKeep]: what })
