import {
  BotwrightError,
  type Cluster,
  type ClusteredBot,
  type ClusterStatus,
  type Log,
  systemClock,
} from '@botwright/framework/cluster'
import { checkServer } from './redis/check-server.ts'
import { RedisLink } from './redis/connect.ts'
import { keysOf } from './redis/keys.ts'
import { agreeOnLayout } from './events/layout.ts'
import { RedisInstance } from './instance.ts'
import { LeaderConnection } from './members/leader-connection.ts'
import type { Location } from './redis/location.ts'
import { RedisStore } from './shared/redis-store.ts'
import { RedisTime } from './redis/redis-time.ts'
import { repartition } from './members/repartition.ts'
import { replay } from './events/set-aside.ts'
import { sharedParts } from './shared/shared.ts'
import { readStatus } from './members/status.ts'

/**
 * Runs a bot as several instances that share a Redis (6.2 or later): `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS. It
 * does not connect before `join`, `check`, `status` or `replay`.
 */
export function redisCluster(url: string): Cluster {
  return {
    async join(given) {
      const { baseUrl, botId, clock, log } = given
      const link = await RedisLink.open({ url, log, clock, name: 'botwright' })
      const keys = keysOf(baseUrl, botId)
      try {
        await checkServer(link, keys, log)
        const partitions = await agreeOnLayout({ link, keys })
        const leaderConnection = new LeaderConnection(link)
        const time = new RedisTime(link, clock)
        await time.measure()
        const host = { ...given, clock: time.clock }
        const shared = sharedParts(host, link, keys)
        return await RedisInstance.join({ host, link, keys, partitions, leaderConnection, time, shared })
      } catch (error) {
        await link.close()
        throw error instanceof BotwrightError ? error : link.wrong(link.reasonOf(error), 'ERR_CLUSTER')
      }
    },
    async check({ baseUrl, botId }, log) {
      const link = await RedisLink.open({ url, log, clock: systemClock, name: 'botwright check', startMs: LOOK_MS })
      try {
        await checkServer(link, keysOf(baseUrl, botId), log)
      } catch (error) {
        throw error instanceof BotwrightError ? error : link.wrong(link.reasonOf(error), 'ERR_CLUSTER')
      } finally {
        await link.close()
      }
    },
    status: (bot) => look(url, bot, (place): Promise<ClusterStatus> => readStatus(place)),
    replay: (bot, ids) => look(url, bot, (place) => replay(place, ids)),
    withStore: (bot, work) =>
      look(url, bot, async (place) => {
        // A write removes values whose time is over, and the clock of this host may be wrong.
        const time = new RedisTime(place.link, systemClock)
        await time.measure()
        return work(new RedisStore({ ...place, clock: time.clock }))
      }),
    repartition: (bot, partitions) => look(url, bot, (place) => repartition(place, partitions)),
  }
}

/** For a look from outside, which does not wait for a Redis that starts. */
async function look<T>(
  url: string,
  { baseUrl, botId }: ClusteredBot,
  work: (place: Location) => Promise<T>,
): Promise<T> {
  const link = await RedisLink.open({ url, log: silent, clock: systemClock, name: 'botwright look', startMs: LOOK_MS })
  const keys = keysOf(baseUrl, botId)
  try {
    return await work({ link, keys })
  } catch (error) {
    throw error instanceof BotwrightError ? error : link.wrong(link.reasonOf(error), 'ERR_CLUSTER')
  } finally {
    await link.close()
  }
}

const LOOK_MS = 1000
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
