import type { Clock } from '@botwright/clock'

/** A clock that shows `aheadMs` more than another one. Its timers and its monotonic time are those of `base`. */
export const aheadOf = (base: Clock, aheadMs: () => number): Clock => ({
  now: () => base.now() + aheadMs(),
  monotonic: () => base.monotonic(),
  after: (ms, fire, options) => base.after(ms, fire, options),
})
