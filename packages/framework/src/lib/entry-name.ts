import { commandName, eventTypes, limits } from '@botwright/protocol/facts'

/** The moments of a bot's own life that a file under `events/` can handle beside the events of §6. */
export const lifecycleMoments = ['ready', 'shutdown'] as const

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

/** Of several names the one that was probably meant, or undefined when none is near. */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  let best: { name: string; steps: number } | undefined
  for (const candidate of names) {
    const steps = editSteps(wanted, candidate.toLowerCase().replace(/[^a-z0-9]/g, ''))
    if (!best || steps < best.steps) best = { name: candidate, steps }
  }
  return best && best.steps <= Math.max(2, Math.floor(wanted.length / 3)) ? best.name : undefined
}

/** How many letters must be added, taken away or changed to turn one text into the other. */
function editSteps(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
