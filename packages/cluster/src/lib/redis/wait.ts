import type { Clock } from '@botwright/framework/cluster'

/** Waits; keeps the process alive only with `keepAlive`. */
export const wait = (clock: Clock, ms: number, options?: { keepAlive: boolean }): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve, options))

/** The result of the work; undefined if it is not there after `ms`. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  let cancel: (() => void) | undefined
  const late = new Promise<undefined>((resolve) => {
    const timer = clock.after(ms, () => resolve(undefined), { keepAlive: true })
    cancel = () => timer.cancel()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    cancel!()
  }
}
