import type { Redis } from 'ioredis'
import type { Clock } from '@botwright/framework/cluster'
import { LeaseClock } from './lease-clock.ts'
import { run, script } from '../redis/scripts.ts'

/** Held by one at a time. */
export interface Lease {
  /** The number of this taking: higher than all before it. Undefined: another instance has it. */
  take(): Promise<number | undefined>
  /** How long another instance had it for certain when `take` last returned nothing (milliseconds). */
  readonly takenForMs: number
  /** False: it was over. Rejects without a reply. */
  renew(): Promise<boolean>
  /** By the holder's own clock: it holds for certain. */
  readonly sure: boolean
  /** By the holder's own clock: it has ended for certain. */
  readonly over: boolean
  /** Gives it back at once. */
  release(): Promise<void>
}

/** KEYS: the lease, the counter. ARGV: the holder, how long. Returns the number; 0 or less: how long it is still taken. */
const take = script<number>(
  'lease-take',
  `
local left = redis.call('PTTL', KEYS[1])
if left ~= -2 then
  -- No holder takes it for longer: another program wrote it.
  if left == -1 or left > tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    left = tonumber(ARGV[2])
  end
  return -left
end
local number = redis.call('INCR', KEYS[2])
if number < 1 or number > 1e14 then return redis.error_reply('ERR the counter of terms holds ' .. number .. ', which no leader wrote; delete its key') end
redis.call('SET', KEYS[1], number .. ':' .. ARGV[1], 'PX', ARGV[2])
return number`,
)

/** KEYS: the lease. ARGV: its expected value, how long. 0: it has another holder, or none. */
export const renewHeld = script<number>(
  'lease-renew',
  `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
)

/** KEYS: the lease. ARGV: its expected value. */
export const releaseHeld = script<number>(
  'lease-release',
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])`,
)

/** One lease on Redis: a key that ends by itself, and a counter that numbers those who took it. */
export function redisLease(options: {
  redis: Redis
  key: string
  counter: string
  /** The holder; it must not begin with a colon. */
  holder: () => string
  clock: Clock
  leaseMs: number
  marginMs: number
}): Lease {
  const { redis, key, counter, holder, clock, leaseMs, marginMs } = options
  const hold = new LeaseClock(clock, leaseMs, marginMs)
  let held = ''
  let takenForMs = 0
  return {
    get takenForMs() {
      return takenForMs
    },
    get sure() {
      return hold.sure
    },
    get over() {
      return hold.over
    },
    async take() {
      const sent = hold.sent()
      const who = holder()
      const number = await run(redis, take, [key, counter], [who, leaseMs])
      takenForMs = Math.max(0, -number)
      if (number <= 0) return undefined
      held = `${number}:${who}`
      hold.renewed(sent)
      // The answer came so late that others may have it.
      return hold.sure ? number : undefined
    },
    async renew() {
      const sent = hold.sent()
      const mine = held
      if (mine === '' || (await run(redis, renewHeld, [key], [mine, leaseMs])) !== 1) {
        if (mine === held) hold.end()
        return false
      }
      if (mine === held) hold.renewed(sent)
      return true
    },
    async release() {
      const mine = held
      held = ''
      hold.end()
      if (mine !== '') await run(redis, releaseHeld, [key], [mine])
    },
  }
}
