import { didYouMean } from './did-you-mean.ts'

/**
 * A field of a definition that looks misspelled and would be ignored silently: JavaScript, and code that runs
 * before its types are checked, has no compiler to report it. `fields`: all valid ones. Undefined if there is none.
 */
export function misspelledField<T extends object>(
  options: T,
  fields: Readonly<Record<keyof T, true>>,
): string | undefined {
  for (const field of Object.keys(options)) {
    if (field in fields) continue
    const near = didYouMean(field, Object.keys(fields))
    // Names with another first letter are more likely the author's own fields.
    if (near?.startsWith(field.charAt(0))) return `unknown field "${field}"; did you mean ${near}?`
  }
  return undefined
}
