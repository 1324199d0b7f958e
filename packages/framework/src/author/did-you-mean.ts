import { commandName, didYouMean, eventTypes, limits } from '@botwright/protocol/facts'
import { windowsProblem } from '@botwright/protocol/portable-names'

export { didYouMean }

/** The names of files under `events/` in addition to the events of §6. No user triggers them. */
const ownEvents = ['ready', 'shutdown', 'error'] as const
export const isOwnEvent = (name: string): boolean => (ownEvents as readonly string[]).includes(name)

/** The valid names of files under `events/`. */
export const eventNames: readonly string[] = [...eventTypes, 'unknown', ...ownEvents]

/** Whether a word can be (part of) a command's name (§2). */
export const isWord = (word: string): boolean => commandName.test(word)

/** The nearest valid word: `roleAdd` becomes `role-add`. Undefined if none of it is valid on every system. */
export function nearestWord(word: string): string | undefined {
  const near = word
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, limits.command_name.characters)
  return near === '' || windowsProblem(near) !== undefined ? undefined : near
}

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
