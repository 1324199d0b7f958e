/**
 * For what is made good in another way when it fails: a lease that ends by itself, a look that comes anyway. Why it failed is told once, for
 * all of them: that Redis is away by the link, that it refuses by the renewal of the membership.
 */
export const bestEffort = <T>(doing: Promise<T>): Promise<T | undefined> => doing.catch(() => undefined)
