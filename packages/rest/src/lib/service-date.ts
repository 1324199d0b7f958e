/** The `Date` of a response, and the time of the host when it was new. */
export interface SeenDate {
  value: unknown
  /** In milliseconds since 1970. */
  atMs: number
}

/** Dates of HTTP are in whole seconds: on average, half a second has passed since. */
const HALF_SECOND_MS = 500

/** How far the service was ahead of the clock of this host; undefined if its date cannot be read. */
export function aheadMsOf({ value, atMs }: SeenDate): number | undefined {
  const ms = typeof value === 'string' && value.length < 100 ? Date.parse(value) : NaN
  return Number.isNaN(ms) ? undefined : ms + HALF_SECOND_MS - atMs
}
