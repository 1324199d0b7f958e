const HOUR_MS = 60 * 60_000

/** A time of day in so many hours. */
export const timeIn = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16)

/** Quiet hours that began an hour ago, and end in two. */
export const quietNow = { from: timeIn(-1), until: timeIn(2) }
