import type { BotEvent, SetAside } from '@botwright/framework/cluster'
import type { Broker } from './broker.ts'
import { checkJson, setAsideSchema } from './from-redis.ts'
import type { Place } from './place.ts'

/** Keeps an event that is tried no more. */
export async function setAside({ link, keys }: Place, event: BotEvent, reason: string, atMs: number): Promise<void> {
  const entry: SetAside = { event, reason, atMs }
  await link.redis.hset(keys.setAside, String(event.id), JSON.stringify(entry))
}

/** By rising id. */
export async function listSetAside({ link, keys }: Place): Promise<SetAside[]> {
  const found = Object.values(await link.redis.hgetall(keys.setAside)).flatMap((text) => {
    const { value, fault } = checkJson(setAsideSchema, text)
    if (fault === undefined) return [value]
    link.malformed('event that was set aside', fault)
    return []
  })
  return found.sort((a, b) => a.event.id - b.event.id)
}

/** Has them run again. Two that ask at the same time have it run once. */
export async function replay(place: Place, broker: Broker, ids: readonly number[] | 'all'): Promise<number[]> {
  const wanted = (await listSetAside(place)).filter(({ event }) => ids === 'all' || ids.includes(event.id))
  for (const { event, atMs } of wanted) {
    await broker.again(event, String(atMs))
    await place.link.redis.hdel(place.keys.setAside, String(event.id))
  }
  return wanted.map(({ event }) => event.id)
}
