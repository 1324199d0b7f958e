import { randomUUID } from 'node:crypto'
import { type Clock, BotwrightError } from '@botwright/framework/cluster'
import { bestEffort } from '../redis/best-effort.ts'
import { releaseHeld, renewHeld } from './lease.ts'
import type { Location } from '../redis/location.ts'
import { run } from '../redis/scripts.ts'
import { wait } from '../redis/wait.ts'

const HOLD_MS = 5000
const RENEW_MS = 1500
const TRY_MS = 100
/** An instance that waits for longer works without the lock: the work matters more than its exclusion. */
const PATIENCE_MS = 60_000

/** Has one instance after the other do something short. */
export async function alone<T>(
  { link, keys, clock, signal }: Location & { clock: Clock; signal: AbortSignal },
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const key = keys.alone(what)
  const mark = randomUUID()
  const untilMs = clock.monotonic() + PATIENCE_MS
  while (clock.monotonic() < untilMs) {
    if (signal.aborted)
      throw new BotwrightError(
        'ERR_ABORTED',
        `cluster: this instance is leaving the cluster before its turn for "${what}"`,
      )
    if ((await bestEffort(link.redis.set(key, mark, 'PX', HOLD_MS, 'NX'))) === 'OK') break
    await wait(clock, TRY_MS, { keepAlive: true })
  }
  let timer = clock.after(RENEW_MS, function renew() {
    timer = clock.after(RENEW_MS, renew)
    void bestEffort(run(link.redis, renewHeld, [key], [mark, HOLD_MS]))
  })
  try {
    return await work()
  } finally {
    timer.cancel()
    await bestEffort(run(link.redis, releaseHeld, [key], [mark]))
  }
}
