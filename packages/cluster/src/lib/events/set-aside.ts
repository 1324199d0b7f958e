import { type BotEvent, type Clock, eventKey, type SetAside } from '@botwright/framework/cluster'
import { partitionOf } from '../../protocol/partitions.ts'
import { checkJson, setAsideSchema } from '../redis/from-redis.ts'
import { readPartitions } from './layout.ts'
import type { Location } from '../redis/location.ts'
import { replayEvent } from './protocol-scripts.ts'
import { wait } from '../redis/wait.ts'

const RETRY_MS = 250

/** Stores an event that does not run again by itself. Tries until it is stored; rejects if the instance leaves before. */
export async function setAside(
  { link, keys }: Location,
  { event, reason }: { event: BotEvent; reason: string },
  clock: Clock,
  leaving: AbortSignal,
): Promise<void> {
  const entry: SetAside = { event, reason, atMs: clock.now() }
  for (;;)
    try {
      return void (await link.redis.hset(keys.setAside, String(eventKey(event)), JSON.stringify(entry)))
    } catch (error) {
      if (leaving.aborted) throw error
      await wait(clock, RETRY_MS)
    }
}

/** All are kept until they are replayed, so there may be many: Redis returns about so many at once. */
const PAGE = 100

/** By rising era and id. */
export async function listSetAside({ link, keys }: Location): Promise<SetAside[]> {
  // Redis may return the same one on two pages.
  const found = new Map<string, SetAside>()
  let cursor = '0'
  do {
    const [next, fields] = await link.redis.hscan(keys.setAside, cursor, 'COUNT', PAGE)
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const { value, fault } = checkJson(setAsideSchema, fields[at + 1]!)
      if (fault === undefined) found.set(fields[at]!, value)
      else link.malformed('event that was set aside', fault)
    }
    cursor = next
  } while (cursor !== '0')
  return [...found.values()].sort(({ event: a }, { event: b }) => (a.era ?? 0) - (b.era ?? 0) || a.id - b.id)
}

/** Runs events again. If two callers ask at the same time, each event runs once. */
export async function replay(place: Location, ids: readonly number[] | 'all'): Promise<number[]> {
  const { link, keys } = place
  const partitions = await readPartitions(link, keys)
  const wanted = (await listSetAside(place)).filter(({ event }) => ids === 'all' || ids.includes(event.id))
  const replayed: number[] = []
  for (const { event } of wanted) {
    const key = String(eventKey(event))
    const partition = partitionOf(event, partitions)
    if ((await replayEvent(link.redis, keys, { key, partition, event: JSON.stringify(event) })) > 0)
      replayed.push(event.id)
  }
  return replayed
}
