import { createHash } from 'node:crypto'
import type { Mutant } from './mutants-of.ts'

/**
 * A random choice of valid mutants. It depends on the seed and the text of the mutants alone: a change elsewhere in the sources, or in the
 * tests, does not affect it.
 */
export function sample(
  mutants: readonly Mutant[],
  count: number,
  seed: number,
  isValid: (mutant: Mutant) => boolean,
): Mutant[] {
  const seen = new Map<string, number>()
  const ranked = mutants.map((mutant) => {
    const text = [mutant.file, mutant.original, mutant.replacement].join('\0')
    const number = seen.get(text) ?? 0
    seen.set(text, number + 1)
    return { mutant, rank: createHash('sha256').update(`${seed}\0${number}\0${text}`).digest('hex') }
  })
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const chosen: Mutant[] = []
  for (const { mutant } of ranked) {
    if (chosen.length === count) break
    if (isValid(mutant)) chosen.push(mutant)
  }
  return chosen
}
