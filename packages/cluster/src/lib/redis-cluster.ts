import {
  BotwrightError,
  type Cluster,
  type ClusteredBot,
  type ClusterStatus,
  type Log,
  systemClock,
} from '@botwright/framework/cluster'
import { bestEffort } from './best-effort.ts'
import { BullBroker } from './bullmq-broker.ts'
import { checkServer } from './check-server.ts'
import { RedisLink } from './connect.ts'
import { keysOf } from './keys.ts'
import { agreeOnLayout } from './layout.ts'
import { RedisMachine } from './machine.ts'
import { Pen } from './pen.ts'
import type { Place } from './place.ts'
import { replay } from './set-aside.ts'
import { sharedParts } from './shared.ts'
import { readStatus } from './status.ts'

/**
 * Runs a bot as several instances that share a Redis (6.2 or later): `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS. It
 * does not connect before `join`, `check`, `status` or `replay`.
 */
export function redisCluster(url: string): Cluster {
  return {
    async join(host) {
      const link = await RedisLink.open({ url, log: host.log, clock: host.clock, name: 'botwright' })
      const keys = keysOf(host.baseUrl, host.botId)
      const pen = new Pen(link)
      const broker = new BullBroker({ link, keys, clock: host.clock, pen })
      try {
        await checkServer(link, keys, host.log)
        await agreeOnLayout({ link, keys })
        await broker.prepare()
        return await RedisMachine.join({ host, link, keys, broker, pen, shared: await sharedParts(host, link, keys) })
      } catch (error) {
        await bestEffort(broker.close())
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
    status: (bot) => look(url, bot, (place, broker): Promise<ClusterStatus> => readStatus(place, broker)),
    replay: (bot, ids) => look(url, bot, (place, broker) => replay(place, broker, ids)),
  }
}

/** For a look from outside: nobody waits for a Redis that starts. */
async function look<T>(
  url: string,
  { baseUrl, botId }: ClusteredBot,
  work: (place: Place, broker: BullBroker) => Promise<T>,
): Promise<T> {
  const link = await RedisLink.open({ url, log: silent, clock: systemClock, name: 'botwright look', startMs: LOOK_MS })
  const keys = keysOf(baseUrl, botId)
  const broker = new BullBroker({ link, keys, clock: systemClock, pen: new Pen(link) })
  try {
    return await work({ link, keys }, broker)
  } catch (error) {
    throw link.wrong(link.reasonOf(error), 'ERR_CLUSTER')
  } finally {
    await bestEffort(broker.close())
    await link.close()
  }
}

const LOOK_MS = 1000
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
