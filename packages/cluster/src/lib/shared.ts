import type { ClusterHost, LimitStore, StateStore } from '@botwright/framework/cluster'
import type { RedisLink } from './connect.ts'
import type { Keys } from './keys.ts'
import { RedisStore } from './redis-store.ts'
import { RedisTime } from './redis-time.ts'

/** The state and the message budget that all machines share. `fence`: the key that is there while this machine's lease holds. */
export async function sharedParts({ clock }: ClusterHost, link: RedisLink, keys: Keys) {
  const time = new RedisTime(link, clock)
  await time.measure()
  return (fence: () => string | undefined): { store: StateStore; limits: LimitStore & { close(): void } } => ({
    store: new RedisStore({ link, keys, clock, fence, time }),
    limits: notYet(link),
  })
}

function notYet(link: RedisLink): LimitStore & { close(): void } {
  return {
    waiting: 0,
    used: 0,
    limit: 0,
    waitMs: 0,
    take: () => Promise.reject(link.wrong('the shared message budget is not there yet')),
    release() {},
    again() {},
    pause() {},
    close() {},
  }
}
