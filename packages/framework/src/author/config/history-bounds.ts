/** How much history a bot keeps. */
export interface HistoryBounds {
  days: number
  events: number
}

/** The files in a bot's state folder: the recordings of `framework start` and `framework dev`. */
export const historyNames = { start: 'history.db', dev: 'history.dev.db' } as const

/** The default. */
export const usualBounds: HistoryBounds = { days: 7, events: 100_000 }

/** The bounds; undefined if nothing is kept. `byItself`: records unless the configuration forbids it, as `framework dev` does. */
export function boundsOf(
  { record }: { readonly record?: boolean | HistoryBounds | undefined },
  byItself: boolean,
): HistoryBounds | undefined {
  if (record === undefined) return byItself ? usualBounds : undefined
  if (record === false) return undefined
  return record === true ? usualBounds : record
}
