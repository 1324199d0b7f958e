import { BotwrightError } from '@botwright/protocol/facts'

/** How a button's parameter is encoded in a `custom_id`. `Given` is the input: optional where there is a default. */
export interface Packing<T, Given = T> {
  // Changes whenever old buttons can no longer be read.
  readonly signature: string
  // The maximum length, in characters (§2 counts code points).
  readonly widest: number
  // Of a parameter that a feature adds: authors do not pass it.
  readonly isInternal?: true
  // Throws `ERR_CUSTOM_ID` with "must be …" if the value does not fit.
  pack(value: Given): string
  // Throws `ERR_CUSTOM_ID` if there is no such value.
  unpack(from: Packed): T
}

/** A parameter of a button. */
export interface Param<T, Given = T> {
  readonly packing: Packing<T, Given>
}

/** The parameters of a button, by name. */
export type ParamsShape = Readonly<Record<string, Param<unknown>>>

/** The type of a button's `ctx.params`. */
export type ParamsOf<S extends ParamsShape> = { readonly [Name in keyof S]: ReturnType<S[Name]['packing']['unpack']> }

type GivenTo<P extends Param<unknown>> = Parameters<P['packing']['pack']>[0]
type MayMiss<S extends ParamsShape> = { [Name in keyof S]: undefined extends GivenTo<S[Name]> ? Name : never }[keyof S]

/** The params that a button is made with: those that are optional or have a default may be omitted. */
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

  // A number with a fixed number of digits.
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

/** A non-negative whole number with a fixed number of digits. */
export function packNumber(value: number, width: number): string {
  let packed = ''
  for (let rest = value; packed.length < width; rest = Math.floor(rest / 64)) packed = digits.charAt(rest % 64) + packed
  return packed
}

/** The number of digits for numbers from 0 to `max`. */
export function digitsFor(max: number): number {
  let width = 1
  for (let reach = 64; reach <= max; reach *= 64) width++
  return width
}

export const unreadable = () => new BotwrightError('ERR_CUSTOM_ID', 'the custom_id cannot be read')
export const unpackable = (fact: string) => new BotwrightError('ERR_CUSTOM_ID', fact)
