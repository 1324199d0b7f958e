import { didYouMean } from './did-you-mean.ts'

/**
 * The field of a definition that looks like a mistyped one, and would be passed over without a word: JavaScript, and code that is run
 * before its types are checked, know no better. `fields`: all that there are. Undefined when there is none.
 */
export function misspelledField<T extends object>(
  options: T,
  fields: Readonly<Record<keyof T, true>>,
): string | undefined {
  for (const field of Object.keys(options)) {
    if (field in fields) continue
    const near = didYouMean(field, Object.keys(fields))
    // What begins otherwise is more likely a field of the author's own.
    if (near?.startsWith(field.charAt(0))) return `unknown field "${field}"; did you mean ${near}?`
  }
  return undefined
}
