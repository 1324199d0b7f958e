import type { ClusterStatus } from '@botwright/framework/cluster'
import type { Redis } from 'ioredis'
import { check, positionSchema } from '../redis/from-redis.ts'
import type { Position } from '../events/journal.ts'
import { readPartitions } from '../events/layout.ts'
import { roll } from './membership.ts'
import { readOwnership } from '../events/ownership-store.ts'
import type { Location } from '../redis/location.ts'
import { msOf } from '../redis/redis-time.ts'
import { script } from '../redis/scripts.ts'
import { listSetAside } from '../events/set-aside.ts'

/** The position of the feed; undefined before the first leader has begun, and if the stored position is malformed. */
export async function readPosition({ link, keys }: Location, redis: Redis = link.redis): Promise<Position | undefined> {
  const kept = await redis.hgetall(keys.position)
  if (Object.keys(kept).length === 0) return undefined
  const { value, fault } = check(positionSchema, kept)
  if (fault !== undefined) link.malformed('position of the feed', `${fault}; events may be lost`)
  return value
}

/** KEYS: stream and begun of each partition. Returns for each how many wait, how many run, and the time of the oldest that waits. */
const partitionsScript = script<number[]>(
  'count-partitions',
  `
local counts = {}
for n = 1, #KEYS, 2 do
  local running, oldest = redis.call('HLEN', KEYS[n + 1]), 0
  local waiting = redis.call('XLEN', KEYS[n]) - running
  if waiting > 0 then
    for _, entry in ipairs(redis.call('XRANGE', KEYS[n], '-', '+', 'COUNT', running + 1)) do
      if oldest == 0 and redis.call('HEXISTS', KEYS[n + 1], entry[1]) == 0 then
        oldest = tonumber(string.match(entry[1], '^%d+'))
      end
    end
  end
  counts[#counts + 1] = waiting
  counts[#counts + 1] = running
  counts[#counts + 1] = oldest
end
return counts`,
)

async function readPartitionCounts({ link, keys }: Location): Promise<ClusterStatus['partitions']> {
  const numbers = Array.from({ length: await readPartitions(link, keys) }, (_, partition) => partition)
  const names = numbers.flatMap((partition) => [keys.events(partition), keys.begun(partition)])
  const [counts, { owners }] = await Promise.all([link.run(partitionsScript, names), readOwnership(link, keys)])
  return numbers.map((partition) => {
    const [waiting = 0, running = 0, oldestAtMs = 0] = counts.slice(3 * partition)
    const owner = owners.get(partition)?.instance
    return {
      name: String(partition),
      waiting: Math.max(0, waiting),
      running,
      ...(owner && { owner }),
      ...(oldestAtMs > 0 && { oldestAtMs }),
    }
  })
}

/** One look at everything. */
export async function readStatus(place: Location): Promise<ClusterStatus> {
  const { link, keys } = place
  const [time, instances, position, leader, term, partitions, setAside] = await Promise.all([
    link.redis.time(),
    roll(place),
    readPosition(place),
    link.redis.get(keys.leader),
    link.redis.get(keys.terms),
    readPartitionCounts(place),
    listSetAside(place),
  ])
  const leads = leader?.slice(leader.indexOf(':') + 1)
  const ownedBy = (id: string) => partitions.filter(({ owner }) => owner === id)
  return {
    nowMs: Math.round(msOf(time)),
    instances: instances
      .filter(({ lives }) => lives)
      .map(({ id, joinedAtMs, seenAtMs, running, version, code }) => ({
        id,
        leads: id === leads,
        joinedAtMs,
        seenAtMs,
        running,
        waiting: ownedBy(id).reduce((sum, { waiting }) => sum + waiting, 0),
        partitions: ownedBy(id).length,
        version,
        ...(code !== undefined && { code }),
      }))
      .sort((a, b) => a.joinedAtMs - b.joinedAtMs),
    ...(leads !== undefined && { leader: leads }),
    term: Number(term ?? 0),
    ...(position && { cursor: { after: position.after, savedAtMs: position.savedAtMs } }),
    partitions: partitions.filter(({ waiting, running }) => waiting + running > 0),
    setAside,
  }
}
