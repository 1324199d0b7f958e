import { type BotEvent, eventKey, type SetAside } from '@botwright/framework/cluster'
import { partitionOf } from '../protocol/partitions.ts'
import { checkJson, setAsideSchema } from './from-redis.ts'
import { readPartitions } from './layout.ts'
import type { Location } from './location.ts'
import { replayEvent } from './protocol-scripts.ts'

/** Stores an event that does not run again by itself. */
export async function setAside({ link, keys }: Location, event: BotEvent, reason: string, atMs: number): Promise<void> {
  const entry: SetAside = { event, reason, atMs }
  await link.redis.hset(keys.setAside, String(eventKey(event)), JSON.stringify(entry))
}

/** By rising era and id. */
export async function listSetAside({ link, keys }: Location): Promise<SetAside[]> {
  const found = Object.values(await link.redis.hgetall(keys.setAside)).flatMap((text) => {
    const { value, fault } = checkJson(setAsideSchema, text)
    if (fault === undefined) return [value]
    link.malformed('event that was set aside', fault)
    return []
  })
  return found.sort(({ event: a }, { event: b }) => (a.era ?? 0) - (b.era ?? 0) || a.id - b.id)
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
