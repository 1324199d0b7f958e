// The args or params that `ctx.continueAs` passes to the next part of a run, in a form that the store keeps.

import { checkPlain } from '../../../author/state/plain-data.ts'
import type { RunInput } from '../stored/run-store.ts'

/** Throws `ERR_INVALID_REQUEST` if a value cannot be stored. Dates are kept, because `date()` makes them. */
export function writeInput(file: string, given: Readonly<Record<string, unknown>> | undefined): RunInput | undefined {
  if (!given) return undefined
  const dates = Object.keys(given).filter((name) => given[name] instanceof Date)
  const values = { ...given, ...Object.fromEntries(dates.map((name) => [name, (given[name] as Date).getTime()])) }
  checkPlain(values, `${file}: ctx.continueAs`, 'pass plain data')
  return { values, dates }
}

/** The values as the handler had passed them. */
export const readInput = ({ values, dates }: RunInput): Record<string, unknown> => ({
  ...values,
  ...Object.fromEntries(dates.map((name) => [name, new Date(values[name] as number)])),
})
