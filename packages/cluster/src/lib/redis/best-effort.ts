/**
 * For work whose failure is repaired in another way: a lease ends by itself, a later look finds the same. The cause is logged once, for
 * all of them: that Redis is away by the link, that it refuses by the renewal of the membership.
 */
export const bestEffort = <T>(doing: Promise<T>): Promise<T | undefined> => doing.catch(() => undefined)
