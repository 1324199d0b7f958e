// Decisions about one entry of a partition: how often it has begun, whether it runs again.

/** How often an entry has begun, and how often that ended without its fault: the instance stopped or was cut off. */
export interface Begun {
  attempts: number
  pardons: number
}

export const NOT_BEGUN: Begun = { attempts: 0, pardons: 0 }

/** The text of `Begun` on Redis. */
export const begunText = ({ attempts, pardons }: Begun): string =>
  pardons === 0 ? String(attempts) : `${attempts},${pardons}`

/** Reads `begunText`; undefined if it is malformed. */
export function readBegun(text: string): Begun | undefined {
  const [, attempts, pardons = '0'] = /^([1-9]\d{0,8})(?:,(\d{1,9}))?$/.exec(text) ?? []
  return attempts === undefined ? undefined : { attempts: Number(attempts), pardons: Number(pardons) }
}

/**
 * The next beginning of an entry. It is written as a number, not counted up, so that the owner can send it again after a lost reply.
 * `seenBefore`: this instance has read the entry before, and Redis has lost what was written since.
 */
export function begin(former: Begun, seenBefore = false): Begun {
  return { attempts: Math.max(former.attempts, seenBefore ? 1 : 0) + 1, pardons: former.pardons }
}

export const pardon = ({ attempts, pardons }: Begun): Begun => ({ attempts, pardons: pardons + 1 })

/** What to do with an entry that has just begun: run it, or put it on the dead-letter list after so many crashes. */
export function decide(
  { attempts, pardons }: Begun,
  handlerAttempts: number,
): { run: true } | { run: false; crashes: number } {
  const crashes = attempts - pardons - 1
  return crashes < handlerAttempts ? { run: true } : { run: false, crashes }
}
