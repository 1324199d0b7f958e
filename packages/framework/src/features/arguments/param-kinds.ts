import { characters, isId } from '@botwright/protocol/facts'
import { type Bounds, ranged } from './bounds.ts'
import { inEnglish } from '../../author/texts/phrase.ts'
import { digitsFor, type Packing, packNumber, unpackable, unreadable } from '../../author/params/packing.ts'

/** A UUID in 22 characters instead of 36; it is read back in lower case, as the service writes ids. */
export const packUuid: Packing<string> = {
  signature: 'uuid',
  widest: 22,
  pack(value) {
    if (typeof value !== 'string' || !isId(value)) throw unpackable('must be a UUID')
    return Buffer.from(value.replaceAll('-', ''), 'hex').toString('base64url')
  },
  unpack(from) {
    const hex = Buffer.from(from.take(22), 'base64url').toString('hex')
    if (hex.length !== 32) throw unreadable()
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  },
}

export const packBoolean: Packing<boolean> = {
  signature: 'boolean',
  widest: 1,
  pack(value) {
    if (typeof value !== 'boolean') throw unpackable('must be true or false')
    return value ? '1' : '0'
  },
  unpack(from) {
    const digit = from.take(1)
    if (digit !== '0' && digit !== '1') throw unreadable()
    return digit === '1'
  },
}

export function packOneOf<T extends string>(words: readonly T[]): Packing<T> {
  const width = digitsFor(words.length - 1)
  return {
    signature: `oneOf${JSON.stringify(words)}`,
    widest: width,
    pack(value) {
      const at = words.indexOf(value)
      if (at < 0) throw unpackable(`must be one of ${words.join(', ')}`)
      return packNumber(at, width)
    },
    unpack(from) {
      const word = words[from.takeNumber(width)]
      if (word === undefined) throw unreadable()
      return word
    },
  }
}

/** With both bounds, the distance from the lower one; without them, the sign and the number, 10 characters. */
export function packInteger(bounds: Bounds, what = 'a whole number'): Packing<number> {
  const { min, max } = bounds
  const bounded = min !== undefined && max !== undefined && max - min <= Number.MAX_SAFE_INTEGER
  const width = bounded ? digitsFor(max - min) : digitsFor(Number.MAX_SAFE_INTEGER)
  const fits = (value: number) => Number.isSafeInteger(value) && value >= (min ?? value) && value <= (max ?? value)
  return {
    signature: `integer${String(min)},${String(max)}`,
    widest: bounded ? width : width + 1,
    pack(value) {
      if (!fits(value)) throw unpackable(`must be ${inEnglish(ranged(what, bounds))}`)
      return bounded ? packNumber(value - min, width) : (value < 0 ? '-' : '0') + packNumber(Math.abs(value), width)
    },
    unpack(from) {
      const negative = !bounded && from.take(1) === '-'
      const distance = from.takeNumber(width)
      const value = bounded ? distance + min : negative ? -distance : distance
      if (!fits(value)) throw unreadable()
      return value
    },
  }
}

/** The eight bytes of any finite number, in 11 characters; bounds do not shorten them. */
export function packFloat(bounds: Bounds): Packing<number> {
  const { min, max } = bounds
  const fits = (value: number) => Number.isFinite(value) && value >= (min ?? value) && value <= (max ?? value)
  return {
    signature: `number${String(min)},${String(max)}`,
    widest: 11,
    pack(value) {
      if (!fits(value)) throw unpackable(`must be ${inEnglish(ranged('a number', bounds))}`)
      const bytes = Buffer.alloc(8)
      bytes.writeDoubleBE(value)
      return bytes.toString('base64url')
    },
    unpack(from) {
      const bytes = Buffer.from(from.take(11), 'base64url')
      const value = bytes.length === 8 ? bytes.readDoubleBE() : NaN
      if (!fits(value)) throw unreadable()
      return value
    },
  }
}

const millisecond = packInteger({})

/** A point in time, to the millisecond. */
export const packDate: Packing<Date> = {
  signature: 'date',
  widest: millisecond.widest,
  pack(value) {
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw unpackable('must be a Date')
    return millisecond.pack(value.getTime())
  },
  unpack(from) {
    const date = new Date(millisecond.unpack(from))
    if (Number.isNaN(date.getTime())) throw unreadable()
    return date
  },
}

/** The digits for the length, then the text. A text without `max` fits only if the parameters are spilled: its length is unknown. */
export function packText({ min = 0, max = Infinity }: Bounds): Packing<string> {
  // A character may take two units, and this counts units.
  const width = max === Infinity ? 6 : Math.max(2, digitsFor(2 * max))
  return {
    signature: `text${min},${max}`,
    widest: width + max,
    pack(value) {
      if (typeof value !== 'string') throw unpackable('must be a string')
      const length = characters(value)
      if (length > max || length < min)
        throw unpackable(
          max === Infinity ? `must be at least ${min} characters` : `must be ${min} to ${max} characters`,
        )
      // The service would return a lone surrogate as another character.
      if (/\p{Surrogate}/u.test(value))
        throw unpackable('ends in the middle of a character: cut it with Array.from(text)')
      return packNumber(value.length, width) + value
    },
    unpack(from) {
      const value = from.take(from.takeNumber(width))
      const length = characters(value)
      if (length > max || length < min) throw unreadable()
      return value
    },
  }
}
