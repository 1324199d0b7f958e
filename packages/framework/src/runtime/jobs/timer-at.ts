import { type Clock, elapsedOf, type Timer } from '@botwright/clock'

const CHECK_MS = 10 * 60_000

/**
 * Fires at a time of the clock. Fires earlier after 10 minutes that really pass, because timers do not notice that the computer slept or
 * that its clock was set. A clock that is moved ahead by days does not stop every 10 minutes.
 */
export function timerAt(clock: Clock, atMs: number, fire: () => void): Timer {
  const waitMs = Math.max(atMs - clock.now(), 0)
  if (waitMs <= CHECK_MS) return clock.after(waitMs, fire)
  const check = elapsedOf(clock).after(CHECK_MS, () => {
    due?.cancel()
    fire()
  })
  const due = Number.isFinite(waitMs)
    ? clock.after(waitMs, () => {
        check.cancel()
        fire()
      })
    : undefined
  return {
    cancel() {
      check.cancel()
      due?.cancel()
    },
  }
}
