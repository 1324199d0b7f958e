import { setTimeout as sleep } from 'node:timers/promises'
import type { AdvanceableClock } from '@botwright/clock'
import { listenToService } from './dev-side.ts'
import type { LocalService } from './local-service.ts'

/** A handler that is busy for longer does not hold up the clock. */
const BUSY_MS = 5000
/** The threads of the bot begin something within this time. */
const STEP_MS = 2

/** Moves the clock of the bot along with that of the local service: `framework clock`. `isBusy`: whether handlers or calls are running. */
export const followClock = (
  clock: AdvanceableClock,
  service: Pick<LocalService, 'baseUrl' | 'token'>,
  isBusy: () => boolean,
): AsyncDisposable =>
  listenToService(service, async (call, signal) => {
    const { ahead_ms } = (await call(`/clock?ahead_ms=${clock.aheadMs}`)) as { ahead_ms: number }
    // From timer to timer, so that what one of them starts sees its own time, and can set the next one.
    while (clock.aheadMs < ahead_ms && !signal.aborted) {
      clock.advance(Math.min(clock.nextMs ?? Infinity, ahead_ms - clock.aheadMs))
      await settle(isBusy)
    }
  })

async function settle(isBusy: () => boolean): Promise<void> {
  const endMs = performance.now() + BUSY_MS
  // A handler is idle for a moment between two calls.
  for (let idle = 0; idle < 2 && performance.now() < endMs; idle = isBusy() ? 0 : idle + 1) await sleep(STEP_MS)
}
