/** How much of its past a bot keeps. */
export interface HistoryBounds {
  days: number
  events: number
}

/** The files in a bot's state folder: what `framework start` recorded, and what `framework dev` did. */
export const historyNames = { start: 'history.db', dev: 'history.dev.db' } as const

/** Kept when nothing else is said. */
export const usualBounds: HistoryBounds = { days: 7, events: 100_000 }

/** What is kept; undefined where nothing is. `byItself`: records unless the configuration says no, as `framework dev` does. */
export function boundsOf(
  { record }: { readonly record?: boolean | HistoryBounds | undefined },
  byItself: boolean,
): HistoryBounds | undefined {
  if (record === undefined) return byItself ? usualBounds : undefined
  if (record === false) return undefined
  return record === true ? usualBounds : record
}
