import { BotwrightError } from '@botwright/protocol/facts'

/** How a button's parameter is written into a `custom_id` and read back. `Given` is what may be written: with a default, less. */
export interface Packing<T, Given = T> {
  // Changes whenever old buttons can no longer be read.
  readonly signature: string
  // The greatest length, in characters (§2 counts code points).
  readonly widest: number
  // Throws `ERR_CUSTOM_ID` with "must be …" when the value does not fit.
  pack(value: Given): string
  // Throws `ERR_CUSTOM_ID` when there is nothing of the kind.
  unpack(from: Packed): T
}

/** A parameter of a button. */
export interface Param<T, Given = T> {
  readonly packing: Packing<T, Given>
}

/** The parameters of a button, by name. */
export type ParamsShape = Readonly<Record<string, Param<unknown>>>

/** What a button's `ctx.params` holds. */
export type ParamsOf<S extends ParamsShape> = { readonly [Name in keyof S]: ReturnType<S[Name]['packing']['unpack']> }

type GivenTo<P extends Param<unknown>> = Parameters<P['packing']['pack']>[0]
type MayMiss<S extends ParamsShape> = { [Name in keyof S]: undefined extends GivenTo<S[Name]> ? Name : never }[keyof S]

/** What a button is made with: parameters that are optional or have a default may be left out. */
export type ParamsGiven<S extends ParamsShape> = {
  readonly [Name in Exclude<keyof S, MayMiss<S>>]: GivenTo<S[Name]>
} & { readonly [Name in MayMiss<S>]?: GivenTo<S[Name]> }

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Reads a packed text from left to right. */
export class Packed {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  take(length: number): string {
    const part = this.#text.slice(this.#at, this.#at + length)
    if (part.length < length) throw unreadable()
    this.#at += length
    return part
  }

  // A number of a fixed count of digits.
  takeNumber(width: number): number {
    let value = 0
    for (const character of this.take(width)) {
      const digit = digits.indexOf(character)
      if (digit < 0) throw unreadable()
      value = value * 64 + digit
    }
    return value
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length
  }
}

/** A whole number from 0 in a fixed count of digits. */
export function packNumber(value: number, width: number): string {
  let packed = ''
  for (let rest = value; packed.length < width; rest = Math.floor(rest / 64)) packed = digits.charAt(rest % 64) + packed
  return packed
}

/** How many digits the numbers from 0 to `max` need. */
export function digitsFor(max: number): number {
  let width = 1
  for (let reach = 64; reach <= max; reach *= 64) width++
  return width
}

export const unreadable = () => new BotwrightError('ERR_CUSTOM_ID', 'the custom_id cannot be read')
export const unpackable = (fact: string) => new BotwrightError('ERR_CUSTOM_ID', fact)
