import { commandName, eventTypes, limits } from '@botwright/protocol/facts'

export { didYouMean } from '@botwright/protocol/facts'

/** The lifecycle moments that a file under `events/` can handle in addition to the events of §6. */
const lifecycleMoments = ['ready', 'shutdown'] as const

/** The valid names of files under `events/`. */
export const eventNames: readonly string[] = [...eventTypes, 'unknown', ...lifecycleMoments]

/** Whether a word can be (part of) a command's name (§2). */
export const isWord = (word: string): boolean => commandName.test(word)

/** The nearest valid word: `roleAdd` becomes `role-add`. Undefined if none of it is valid. */
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
