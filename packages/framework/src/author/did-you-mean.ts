import { commandName, eventTypes, limits } from '@botwright/protocol/facts'

export { didYouMean } from '@botwright/protocol/facts'

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
