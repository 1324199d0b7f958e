// The args or params that `ctx.continueAs` passes to the next part of a run, in a form that the store keeps.

import { checkPlain } from '../../../author/state/plain-data.ts'
import type { RunInput } from '../stored/run-store.ts'

/** Throws `ERR_INVALID_REQUEST` if a value cannot be stored. Dates are kept, because `date()` and `list(date())` make them. */
export function writeInput(file: string, given: Readonly<Record<string, unknown>> | undefined): RunInput | undefined {
  if (!given) return undefined
  const dates = Object.keys(given).filter((name) => isDates(given[name]))
  const values = { ...given, ...mapped(given, dates, (one) => (one as Date).getTime()) }
  checkPlain(values, `${file}: ctx.continueAs`, 'pass plain data')
  return { values, dates }
}

/** The values as the handler had passed them. */
export const readInput = ({ values, dates }: RunInput): Record<string, unknown> => ({
  ...values,
  ...mapped(values, dates, (one) => new Date(one as number)),
})

const isDates = (value: unknown): boolean =>
  value instanceof Date || (Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof Date))

/** The values with these names, those of lists each. */
const mapped = (values: Readonly<Record<string, unknown>>, names: readonly string[], map: (one: unknown) => unknown) =>
  Object.fromEntries(
    names.map((name) => {
      const value = values[name]
      return [name, Array.isArray(value) ? value.map(map) : map(value)]
    }),
  )
