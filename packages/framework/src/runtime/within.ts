import type { Clock, Timer } from '@botwright/clock'

/** A store that does not respond within this time is reported as unavailable by the health endpoint and the control room. */
export const READ_MS = 1000

/** Rejects if the work takes longer. */
export async function within<T>(clock: Clock, ms: number, work: () => Promise<T> | T): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = clock.after(ms, () => reject(new Error(`no response within ${ms / 1000} s`)))
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    timer?.cancel()
  }
}
