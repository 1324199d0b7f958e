import { MAX_PARTITIONS, partitionOf } from '../../protocol/partitions.ts'
import { checkJson, eventSchema, numberOf } from '../redis/from-redis.ts'
import { readPartitions } from '../events/layout.ts'
import { roll } from './membership.ts'
import { readBegunOf } from '../events/ownership-store.ts'
import { begunText } from '../../protocol/entries.ts'
import type { Location } from '../redis/location.ts'
import { run, script } from '../redis/scripts.ts'

/**
 * KEYS: layout, owners, moves, the number of former and new partitions' streams and begun (former first), then leases and the instances' numbers. ARGV: the
 * former and the new number of partitions, how many leases follow, the number of events, the last instance's number, then for each event its new
 * partition, its begun text, and its three fields.
 * Returns 1; 0: an instance runs, or something has changed since it was read.
 */
const repartitionScript = script<number>(
  'repartition',
  `
local former, count, leases, events = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if (redis.call('HGET', KEYS[1], 'partitions') or ARGV[1]) ~= ARGV[1] then return 0 end
if (redis.call('GET', KEYS[#KEYS]) or '') ~= ARGV[5] then return 0 end
for n = #KEYS - leases, #KEYS - 1 do
  if redis.call('EXISTS', KEYS[n]) == 1 then return 0 end
end
local sum = 0
for n = 0, former - 1 do sum = sum + redis.call('XLEN', KEYS[4 + 2 * n]) end
if sum ~= events then return 0 end
redis.call('DEL', KEYS[2], KEYS[3])
for n = 0, math.max(former, count) - 1 do redis.call('DEL', KEYS[4 + 2 * n], KEYS[5 + 2 * n]) end
for at = 6, #ARGV, 5 do
  local key = 4 + 2 * tonumber(ARGV[at])
  local fields = { 'e', ARGV[at + 2] }
  if ARGV[at + 3] ~= '' then fields[3] = 'c'; fields[4] = ARGV[at + 3] end
  if ARGV[at + 4] ~= '' then fields[#fields + 1] = 'r'; fields[#fields + 1] = ARGV[at + 4] end
  local id = redis.call('XADD', KEYS[key], '*', unpack(fields))
  if ARGV[at + 1] ~= '' then redis.call('HSET', KEYS[key + 1], id, ARGV[at + 1]) end
end
redis.call('HSET', KEYS[1], 'partitions', ARGV[2])
return 1`,
)

/** Changes the number of partitions while no instance runs. Events that wait keep their order within a channel. Rejects with `ERR_CONFIG`. */
export async function repartition({ link, keys }: Location, count: number): Promise<void> {
  if (!Number.isSafeInteger(count) || count < 1 || count > MAX_PARTITIONS)
    throw link.wrong(`the number of partitions must be from 1 to ${MAX_PARTITIONS}`)
  // Read first: an instance that joins after the look has a higher one.
  const lastNumber = (await link.redis.get(keys.instanceNumbers)) ?? ''
  const instances = await roll({ link, keys })
  const living = instances.filter(({ lives }) => lives).length
  const running = () => link.wrong('instances of this bot are running; stop all of them first')
  if (living > 0) throw running()
  const former = await readPartitions(link, keys)
  const numbers = Array.from({ length: former }, (_, partition) => partition)
  const begun = await readBegunOf(link, keys, numbers)
  const rows = await Promise.all(numbers.map((partition) => link.redis.xrange(keys.events(partition), '-', '+')))
  const events: (string | number)[][] = []
  for (const partition of numbers)
    for (const [id, fields] of rows[partition]!) {
      const named = (name: string) => {
        const at = fields.findIndex((one, place) => place % 2 === 0 && one === name)
        return at < 0 ? '' : fields[at + 1]!
      }
      const text = named('e')
      const { value: event } = checkJson(eventSchema, text)
      const times = begun[partition]!.get(id)
      // Its owner logs a malformed event.
      events.push([event ? partitionOf(event, count) : 0, times ? begunText(times) : '', text, named('c'), named('r')])
    }
  const partitions = Array.from({ length: Math.max(former, count) }, (_, partition) => partition)
  const leases = instances.map(({ id }) => keys.member(numberOf(id)))
  const names = [
    ...[keys.layout, keys.owners, keys.moves],
    ...partitions.flatMap((partition) => [keys.events(partition), keys.begun(partition)]),
    ...leases,
    keys.instanceNumbers,
  ]
  const args = [former, count, leases.length, events.length, lastNumber, ...events.flat()]
  if ((await run(link.redis, repartitionScript, names, args)) !== 1) throw running()
}
