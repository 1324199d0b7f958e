import { commandName, didYouMean, eventTypes, limits } from '@botwright/protocol/facts'

export { didYouMean }

/** The moments of a bot's own life that a file under `events/` can handle beside the events of §6. */
const lifecycleMoments = ['ready', 'shutdown'] as const

/** What a file under `events/` may be called. */
export const eventNames: readonly string[] = [...eventTypes, 'unknown', ...lifecycleMoments]

/** Whether one word may be (a part of) a command's name (§2). */
export const isWord = (word: string): boolean => commandName.test(word)

/** The nearest allowed word: `roleAdd` becomes `role-add`. Undefined when nothing of it can be kept. */
export function nearestWord(word: string): string | undefined {
  const near = word
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, limits.command_name.characters)
  return near === '' ? undefined : near
}

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
