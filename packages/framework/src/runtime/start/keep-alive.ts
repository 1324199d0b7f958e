import type { Clock, Timer } from '@botwright/clock'

const A_DAY_MS = 24 * 60 * 60 * 1000

/**
 * Keeps the process alive until it is cancelled. Worker threads do not, and while a bot waits for its handlers it has no poll
 * open: without this the process of a busy bot would end for want of anything to do.
 */
export function keepAlive(clock: Clock): Timer {
  let timer: Timer
  const arm = (): void => {
    timer = clock.after(A_DAY_MS, arm, { keepAlive: true })
  }
  arm()
  return { cancel: () => timer.cancel() }
}
