import type { Arg } from '../../author/args/arg.ts'
import { digitsFor, packNumber, unpackable, unreadable, type Packing, type Param } from '../../author/params/packing.ts'

/** An argument of commands that is also a parameter of buttons. */
export interface ArgParam<T, Given = T>
  extends Omit<Arg<T>, 'optional' | 'default' | 'describe' | 'flag'>, Param<T, Given> {
  /** With a default value. */
  default(value: T): ArgParam<T, T | undefined>
  /** Optional: then it is `undefined`. */
  optional(): ArgParam<T | undefined>
  /** With a description for `/help`. */
  describe(about: string): ArgParam<T, Given>
  /** Passed as `--name value` only, not by position. */
  flag(): ArgParam<T, Given>
}

/** An argument of commands that buttons accept too: `packing` encodes it in a `custom_id`. */
export const packable = <T, Given = T>(arg: Arg<T>, packing: Packing<T, Given>): ArgParam<T, Given> => ({
  ...arg,
  packing,
  default: (value) => packable(arg.default(value), packDefault(packing, value)),
  optional: () => packable(arg.optional(), packOptional(packing)),
  describe: (about) => packable(arg.describe(about), packing),
  flag: () => packable(arg.flag(), packing),
  // A click is not checked again, so an argument with a check is not a parameter of a button.
  check: (test) => arg.check(test),
})

/** One digit states whether there is a value. */
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

/** The default is filled in when the button is made, so a later change of the default does not affect it. */
function packDefault<T, Given>(packing: Packing<T, Given>, value: T): Packing<T, T | undefined> {
  return { ...packing, pack: (given) => packing.pack((given ?? value) as Given & T) }
}

/** The digits for the count, then the items. A list without `max` fits only if the parameters are spilled. */
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
