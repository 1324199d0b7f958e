import type { Arg } from './arg.ts'
import { digitsFor, packNumber, unpackable, unreadable, type Packing, type Param } from '../params/packing.ts'

/** What is both an argument of commands and a parameter of buttons. */
export interface ArgParam<T, Given = T>
  extends Omit<Arg<T>, 'optional' | 'default' | 'describe' | 'flag'>, Param<T, Given> {
  /** With a value for when it is left out. */
  default(value: T): ArgParam<T, T | undefined>
  /** May be left out: then it is `undefined`. */
  optional(): ArgParam<T | undefined>
  /** With what it means, told by `/help`. */
  describe(about: string): ArgParam<T, Given>
  /** Given as `--name value` only, never by its place. */
  flag(): ArgParam<T, Given>
}

/** An argument of commands that buttons take too: `packing` is how a `custom_id` carries it. */
export const packable = <T, Given = T>(arg: Arg<T>, packing: Packing<T, Given>): ArgParam<T, Given> => ({
  ...arg,
  packing,
  default: (value) => packable(arg.default(value), packDefault(packing, value)),
  optional: () => packable(arg.optional(), packOptional(packing)),
  describe: (about) => packable(arg.describe(about), packing),
  flag: () => packable(arg.flag(), packing),
  // A click is not checked again, so what is checked is no parameter of a button.
  check: (test) => arg.check(test),
})

/** One digit tells whether the value is there. */
function packOptional<T, Given>(packing: Packing<T, Given>): Packing<T | undefined> {
  return {
    signature: `${packing.signature}?`,
    widest: packing.widest + 1,
    pack: (value) => (value === undefined ? '0' : `1${packing.pack(value as Given & T)}`),
    unpack(from) {
      const digit = from.take(1)
      if (digit !== '0' && digit !== '1') throw unreadable()
      return digit === '1' ? packing.unpack(from) : undefined
    },
  }
}

/** The default is filled in when the button is made: it stays what it was when the file names another one. */
function packDefault<T, Given>(packing: Packing<T, Given>, value: T): Packing<T, T | undefined> {
  return { ...packing, pack: (given) => packing.pack((given ?? value) as Given & T) }
}

/** The digits for the count, then the items. A list without `max` fits only where the parameters are spilled. */
export function packList<T>(
  item: Packing<T>,
  { min, max = Infinity }: { min: number; max?: number | undefined },
): Packing<T[]> {
  const width = max === Infinity ? 4 : digitsFor(max)
  return {
    signature: `list${min},${max}(${item.signature})`,
    widest: max === Infinity ? Infinity : width + max * item.widest,
    pack(values) {
      if (!Array.isArray(values)) throw unpackable('must be a list')
      if (values.length < min || values.length > Math.min(max, 64 ** width - 1))
        throw unpackable(max === Infinity ? `must be a list of at least ${min}` : `must be a list of ${min} to ${max}`)
      return packNumber(values.length, width) + values.map((value: T) => item.pack(value)).join('')
    },
    unpack(from) {
      const count = from.takeNumber(width)
      if (count < min || count > max) throw unreadable()
      return Array.from({ length: count }, () => item.unpack(from))
    },
  }
}
