import { type Begun, readBegun } from '../../protocol/entries.ts'
import { type Ownership, readOwner } from '../../protocol/ownership.ts'
import type { RedisLink } from '../redis/connect.ts'
import { instanceId } from '../redis/from-redis.ts'
import type { Keys } from '../redis/keys.ts'

/** Reads the owner of each partition and the moves. Malformed entries are logged and ignored. */
export async function readOwnership(link: RedisLink, keys: Keys): Promise<Ownership> {
  const [owners, moves] = await Promise.all([link.redis.hgetall(keys.owners), link.redis.hgetall(keys.moves)])
  const read: { owners: Map<number, NonNullable<ReturnType<typeof readOwner>>>; moves: Map<number, string> } = {
    owners: new Map(),
    moves: new Map(),
  }
  for (const [partition, text] of Object.entries(owners)) {
    const owner = readOwner(text)
    if (owner && isPartition(partition)) read.owners.set(Number(partition), owner)
    else link.malformed('entry in the hash "owners"', 'it is not a partition with its owner')
  }
  for (const [partition, instance] of Object.entries(moves))
    if (isPartition(partition) && instanceId.safeParse(instance).success) read.moves.set(Number(partition), instance)
    else link.malformed('entry in the hash "moves"', 'it is not a partition with an instance')
  return read
}

const isPartition = (text: string): boolean => /^\d{1,4}$/.test(text)

/** How often the entries of these partitions have begun that are not finished. */
export async function readBegunOf(
  link: RedisLink,
  keys: Keys,
  partitions: readonly number[],
): Promise<Map<string, Begun>[]> {
  const found = await Promise.all(partitions.map((partition) => link.redis.hgetall(keys.begun(partition))))
  return found.map((entries) => {
    const counts = new Map<string, Begun>()
    for (const [entry, text] of Object.entries(entries)) {
      const begun = readBegun(text)
      if (!begun) link.malformed('count of beginnings', 'it is not a count')
      // It has begun at least once.
      counts.set(entry, begun ?? { attempts: 1, pardons: 0 })
    }
    return counts
  })
}
