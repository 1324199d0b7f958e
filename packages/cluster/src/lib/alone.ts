import { randomUUID } from 'node:crypto'
import { type Clock, BotwrightError } from '@botwright/framework/cluster'
import type { RedisLink } from './connect.ts'
import type { Keys } from './keys.ts'
import { run, script } from './scripts.ts'

const HOLD_MS = 5000
const RENEW_MS = 1500
const TRY_MS = 100
/** Whoever waits for longer goes without: that the work is done at all matters more than that it is done alone. */
const PATIENCE_MS = 60_000

const keep = script<number>(
  'alone-keep',
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
)
const drop = script<number>(
  'alone-drop',
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])`,
)

/** Has one machine after the other do something short. */
export async function alone<T>(
  { link, keys, clock, signal }: { link: RedisLink; keys: Keys; clock: Clock; signal: AbortSignal },
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const key = `${keys.prefix}:alone:${what}`
  const mark = randomUUID()
  const untilMs = clock.monotonic() + PATIENCE_MS
  while (clock.monotonic() < untilMs) {
    if (signal.aborted)
      throw new BotwrightError('ERR_ABORTED', `cluster: this machine leaves before "${what}" was its turn`)
    if ((await link.redis.set(key, mark, 'PX', HOLD_MS, 'NX').catch(() => null)) === 'OK') break
    await new Promise<void>((resolve) => void clock.after(TRY_MS, resolve, { keepAlive: true }))
  }
  let timer = clock.after(RENEW_MS, function renew() {
    timer = clock.after(RENEW_MS, renew)
    run(link.redis, keep, [key], [mark, HOLD_MS]).catch(() => {})
  })
  try {
    return await work()
  } finally {
    timer.cancel()
    await run(link.redis, drop, [key], [mark]).catch(() => {})
  }
}
