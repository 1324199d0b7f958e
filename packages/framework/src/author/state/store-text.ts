// How every store treats keys and values before it stores them, so that all of them agree.

import { BotwrightError, wellFormed } from '@botwright/protocol/facts'
import type { Stored } from '../ports.ts'

/** The maximum number of characters in a value: state is read as a whole, and passed between threads. */
export const MAX_VALUE_CHARACTERS = 8_000_000

/** Throws `ERR_INVALID_REQUEST` for an invalid key. */
export function readKey(key: unknown): string {
  if (typeof key !== 'string' || key === '') throw refused('the key must be a non-empty string')
  return wellFormed(key)
}

/** The JSON text of a value. Throws `ERR_INVALID_REQUEST`, naming the key. */
export function writeValue(key: string, value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw refused(`"${key}": the value cannot be stored as JSON (${(error as Error).message}); keep plain data`, error)
  }
  if (text === undefined)
    throw refused(`"${key}": the value cannot be stored as JSON (${typeof value}); keep plain data, or delete the key`)
  if (text.length > MAX_VALUE_CHARACTERS)
    throw refused(
      `"${key}": the value has ${text.length} characters of JSON; the limit is ${MAX_VALUE_CHARACTERS}; split it into several keys`,
    )
  return text
}

/** By code points, which is the order of SQLite's UTF-8; plain `<` compares the halves of surrogate pairs. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [one, two] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (one !== two) return rank(one) - rank(two)
  }
  return a.length - b.length
}

/** Surrogates represent characters above U+FFFF. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

/** The smallest text that is greater than every text with this prefix; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (points.length > 0) {
    const last = points.pop()!
    if (last === 0x10ffff) continue
    // The next code point that a well-formed text can contain.
    points.push(last === 0xd7ff ? 0xe000 : last + 1)
    return String.fromCodePoint(...points)
  }
  return undefined
}

const refused = (fact: string, cause?: unknown) =>
  new BotwrightError('ERR_INVALID_REQUEST', `state: ${fact}`, { cause })

/** A value as a store without SQL keeps it. */
export interface StoredText {
  text: string
  version: number
  expiresAtMs?: number | undefined
}

/** Parses a copy for each reader, so that no reader changes the stored value. */
export const toStored = ({ text, version, expiresAtMs }: StoredText): Stored => ({
  value: JSON.parse(text) as unknown,
  version,
  ...(expiresAtMs !== undefined && { expiresAtMs }),
})
