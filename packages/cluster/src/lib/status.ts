import type { ClusterStatus } from '@botwright/framework/cluster'
import type { Redis } from 'ioredis'
import type { Broker } from './broker.ts'
import { check, positionSchema } from './from-redis.ts'
import type { Position } from './journal.ts'
import { roll } from './membership.ts'
import type { Place } from './place.ts'
import { listSetAside } from './set-aside.ts'

/** Where the feed stands; undefined before the first leader has begun, and when what is kept cannot be read. */
export async function readPosition({ link, keys }: Place, redis: Redis = link.redis): Promise<Position | undefined> {
  const kept = await redis.hgetall(keys.position)
  if (Object.keys(kept).length === 0) return undefined
  const { value, fault } = check(positionSchema, kept)
  if (fault !== undefined) link.malformed('position of the feed', `${fault}; events may be lost`)
  return value
}

/** One look at everything. */
export async function readStatus(place: Place, broker: Broker): Promise<ClusterStatus> {
  const { link, keys } = place
  const [machines, position, leader, term, partitions, setAside] = await Promise.all([
    roll(place),
    readPosition(place),
    link.redis.get(keys.leader),
    link.redis.get(keys.terms),
    broker.counts(),
    listSetAside(place),
  ])
  const leads = leader?.slice(leader.indexOf(':') + 1)
  return {
    machines: machines
      .filter(({ lives }) => lives)
      .map(({ id, joinedAtMs, seenAtMs, running, version, code }) => ({
        id,
        leads: id === leads,
        joinedAtMs,
        seenAtMs,
        running,
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
