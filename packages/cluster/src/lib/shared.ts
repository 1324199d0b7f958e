import type { ClusterHost, LimitStore, StateStore } from '@botwright/framework/cluster'
import type { RedisLink } from './connect.ts'
import type { Keys } from './keys.ts'

/** The state and the message budget that all machines share. `fence`: the key that is there while this machine's lease holds. */
export function sharedParts(host: ClusterHost, link: RedisLink, keys: Keys) {
  return (fence: () => string | undefined): { store: StateStore; limits: LimitStore & { close(): void } } => {
    void [host, keys, fence]
    const missing = () => Promise.reject(link.wrong('the shared state is not there yet'))
    return {
      store: { get: missing, set: missing, delete: missing, list: missing },
      limits: {
        waiting: 0,
        used: 0,
        limit: 0,
        waitMs: 0,
        take: missing,
        release() {},
        again() {},
        pause() {},
        close() {},
      },
    }
  }
}
