import type { Place } from './place.ts'
import { CLICK_PARTITIONS, LAYOUT, PARTITIONS } from './queues.ts'
import { run, script } from './scripts.ts'

/** KEYS: the layout. ARGV: fields and values. Writes them where nothing is, and answers what is there. */
const agree = script<string[]>(
  'layout-agree',
  `
for at = 1, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[at], ARGV[at + 1]) end
return redis.call('HGETALL', KEYS[1])`,
)

/** What all machines must have in common; the first of them writes it. Rejects with `ERR_CONFIG`. */
export async function agreeOnLayout({ link, keys }: Place): Promise<void> {
  const mine = { layout: LAYOUT, partitions: PARTITIONS, click_partitions: CLICK_PARTITIONS }
  const found = await run(link.redis, agree, [keys.layout], Object.entries(mine).flat())
  const theirs = new Map(found.flatMap((name, at) => (at % 2 === 0 ? [[name, Number(found[at + 1])] as const] : [])))
  for (const [name, number] of Object.entries(mine))
    if (theirs.get(name) !== number)
      throw link.wrong(
        `it holds this bot with ${name} ${theirs.get(name)}, and this release has ${name} ${number}: the two cannot run together. Let the instances of the other release finish their events (framework cluster status), stop them, delete the keys ${keys.prefix}:*, and start this one`,
      )
}
