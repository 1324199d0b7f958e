import { type ClusterHost, limits, type LimitStore, type StateStore } from '@botwright/framework/cluster'
import type { RedisLink } from '../redis/connect.ts'
import type { Keys } from '../redis/keys.ts'
import { RedisLimits } from './redis-limits.ts'
import { RedisStore } from './redis-store.ts'

/** The state and the message budget that all instances share. `fence`: the key that is there while this instance's lease holds. */
export function sharedParts(host: ClusterHost, link: RedisLink, keys: Keys) {
  const { clock, timeoutMs, messageBudget = limits.messages } = host
  const { requests, seconds } = messageBudget
  return (fence: () => string | undefined): { store: StateStore; limits: LimitStore & { close(): void } } => ({
    store: new RedisStore({ link, keys, clock, fence }),
    limits: new RedisLimits({ link, keys, clock, requests, seconds, timeoutMs }),
  })
}
