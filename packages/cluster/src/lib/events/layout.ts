import { DEFAULT_PARTITIONS, LAYOUT, MAX_PARTITIONS } from '../../protocol/partitions.ts'
import type { RedisLink } from '../redis/connect.ts'
import type { Keys } from '../redis/keys.ts'
import type { Location } from '../redis/location.ts'
import { run, script } from '../redis/scripts.ts'

/** KEYS: the layout. ARGV: fields and values. Writes those that are missing, and returns all. */
const agree = script<string[]>(
  'layout-agree',
  `
for at = 1, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[at], ARGV[at + 1]) end
return redis.call('HGETALL', KEYS[1])`,
)

/** Compares the settings that all instances share; the first instance writes them. Resolves with the number of partitions. Rejects with `ERR_CONFIG`. */
export async function agreeOnLayout({ link, keys }: Location, count = DEFAULT_PARTITIONS): Promise<number> {
  const found = await run(link.redis, agree, [keys.layout], ['layout', LAYOUT, 'partitions', count])
  const theirs = new Map(found.flatMap((name, at) => (at % 2 === 0 ? [[name, Number(found[at + 1])] as const] : [])))
  const [layout, partitions = 0] = [theirs.get('layout'), theirs.get('partitions')]
  if (layout !== LAYOUT)
    throw link.wrong(
      `it holds this bot with layout ${layout}, and this release has layout ${LAYOUT}: the two cannot run together. Let the instances of the other release finish their events (framework cluster status), stop them, delete the keys ${keys.prefix}:*, and start this one`,
    )
  if (!isCount(partitions)) throw link.wrong(`its number of partitions is malformed; delete the keys ${keys.prefix}:*`)
  return partitions
}

/** The number of partitions of a bot. */
export async function readPartitions(link: RedisLink, keys: Keys): Promise<number> {
  const partitions = Number((await link.redis.hget(keys.layout, 'partitions')) ?? DEFAULT_PARTITIONS)
  return isCount(partitions) ? partitions : DEFAULT_PARTITIONS
}

const isCount = (partitions: number): boolean =>
  Number.isSafeInteger(partitions) && partitions >= 1 && partitions <= MAX_PARTITIONS
