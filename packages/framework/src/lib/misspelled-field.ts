import { didYouMean } from './entry-name.ts'

/**
 * The field of a definition that looks like a mistyped one, and would be passed over without a word: JavaScript, and code that is run
 * before its types are checked, know no better. Undefined when there is none.
 */
export function misspelledField(value: object, fields: readonly string[]): string | undefined {
  for (const field of Object.keys(value)) {
    if (fields.includes(field)) continue
    const near = didYouMean(field, fields)
    // What begins otherwise is more likely a field of the author's own.
    if (near?.startsWith(field.charAt(0))) return `there is no field "${field}"; did you mean ${near}?`
  }
  return undefined
}
