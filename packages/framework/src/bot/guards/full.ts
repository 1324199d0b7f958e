import type { BotServices } from '../services.ts'

interface Filled {
  untilMs: number
  /** From then on the store is asked again: another worker may have given a use back. */
  askAgainMs: number
}
/** What is known to have no use left, by its key: a flood asks the store once a second. */
export type Full = Map<string, Filled>
const MOST_FULL = 10_000
const fullOnes = new WeakMap<BotServices, Full>()

export function fullOf(around: BotServices): Full {
  let full = fullOnes.get(around)
  if (!full) fullOnes.set(around, (full = new Map<string, Filled>()))
  return full
}

export function rememberFull(full: Full, key: string, filled: Filled, nowMs: number): void {
  full.delete(key)
  for (const [oldest, one] of full) {
    if (one.untilMs > nowMs && full.size < MOST_FULL) break
    full.delete(oldest)
  }
  full.set(key, filled)
}
