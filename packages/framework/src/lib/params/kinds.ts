import { characters, isId } from '@botwright/protocol/facts'
import { digitsFor, packNumber, unpackable, unreadable, type Packing } from './packing.ts'

interface Bounds {
  min?: number
  max?: number
}

/** A UUID in 22 characters instead of 36. */
export const packUuid: Packing<string> = {
  signature: 'uuid',
  widest: 22,
  pack(value) {
    if (!isId(value)) throw unpackable('must be a UUID')
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
  unpack: (from) => from.take(1) === '1',
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

/** With both bounds the distance from the lower one; without them the sign and the number, 10 characters. */
export function packInteger({ min, max }: Bounds): Packing<number> {
  const bounded = min !== undefined && max !== undefined && max - min <= Number.MAX_SAFE_INTEGER
  const width = bounded ? digitsFor(max - min) : digitsFor(Number.MAX_SAFE_INTEGER)
  return {
    signature: `integer${String(min)},${String(max)}`,
    widest: bounded ? width : width + 1,
    pack(value) {
      const fits = Number.isSafeInteger(value) && value >= (min ?? value) && value <= (max ?? value)
      if (!fits) throw unpackable(`must be a whole number from ${min ?? 'any'} to ${max ?? 'any'}`)
      return bounded ? packNumber(value - min, width) : (value < 0 ? '-' : '0') + packNumber(Math.abs(value), width)
    },
    unpack(from) {
      const negative = !bounded && from.take(1) === '-'
      const value = from.takeNumber(width)
      if (bounded) return value + min
      return negative ? -value : value
    },
  }
}

/** Two digits for the length, then the text. A text without `max` cannot be a parameter: its length is unknown. */
export function packText({ min = 0, max = Infinity }: Bounds): Packing<string> {
  return {
    signature: `text${min},${max}`,
    widest: 2 + max,
    pack(value) {
      if (typeof value !== 'string') throw unpackable('must be a text')
      const length = characters(value)
      if (length > max || length < min) throw unpackable(`must be ${min} to ${max} characters`)
      return packNumber(value.length, 2) + value
    },
    unpack: (from) => from.take(from.takeNumber(2)),
  }
}
