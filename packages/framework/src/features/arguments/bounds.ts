import { phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'

/** A minimum and a maximum. */
export interface Bounds {
  min?: number
  max?: number
}

/** `a number from 1 to 60`, `a number of at least 1`, or `a number`. */
export const ranged = (what: Words, { min, max }: { min?: Words | number; max?: Words | number }): Words => {
  if (min !== undefined && max !== undefined) return phrase('kind.between', { what, min, max })
  if (min !== undefined) return phrase('kind.at_least', { what, min })
  return max === undefined ? what : phrase('kind.at_most', { what, max })
}
