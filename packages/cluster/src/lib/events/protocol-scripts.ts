// The scripts of the protocol. `protocol/model.ts` describes each of them; this file encodes their keys, arguments and replies.

import type { Redis } from 'ioredis'
import { GIVE_UP_MS, LATE_MS, TURN_MS } from '../../protocol/clicks.ts'
import type { Committed, LeaderWrite, Published, Swept } from '../../protocol/model.ts'
import type { Assignment } from '../../protocol/ownership.ts'
import type { Keys } from '../redis/keys.ts'
import { NOW, run, script } from '../redis/scripts.ts'

/** Wakes every instance that reads the stream of changes (KEYS: its key). */
export const WAKE = (key: string) => `redis.call('XADD', ${key}, 'MAXLEN', 1, '*', 'c', '1')`

/** KEYS: changes. */
export const wake = script<string>('wake', WAKE('KEYS[1]'))

/**
 * Sets `is_new`: whether this write of the leader is not done yet, and notes it. A connection that was given up may deliver it late.
 * ARGV[1] is the term.
 */
const isNewWrite = (key: string, number: string) => `
local last = redis.call('HGET', ${key}, 'leader') or ''
local is_new = string.match(last, '^(%d+) ') ~= ARGV[1] or tonumber(string.match(last, ' (%d+)$')) < tonumber(${number})
if is_new then redis.call('HSET', ${key}, 'leader', ARGV[1] .. ' ' .. ${number}) end`

/**
 * KEYS: terms, seen, acks, clicks, writes, the streams. ARGV: the term, the write's number, the number of events, for each event its name, id, stream (a place in KEYS),
 * text and whether it is a replay; then for each click the place of its event, its id, its delay and its text.
 */
const publishScript = script<number>(
  'publish',
  `
if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then return -1 end
${isNewWrite('KEYS[5]', 'ARGV[2]')}
if not is_new then return 0 end
${NOW}
local count = tonumber(ARGV[3])
local clicks = {}
for at = 4 + count * 4, #ARGV, 4 do clicks[tonumber(ARGV[at])] = at end
local added = 0
for n = 1, count do
  local at = 4 + (n - 1) * 4
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[at + 1], ARGV[at]) == 1 then
    local stream, click = KEYS[tonumber(ARGV[at + 2])], clicks[n]
    if click then
      local turn = string.format('%.0f', now + ARGV[click + 2])
      redis.call('ZADD', KEYS[3], turn, ARGV[click + 1])
      redis.call('HSET', KEYS[4], ARGV[click + 1], turn .. ' ' .. ARGV[click + 3])
      redis.call('XADD', stream, '*', 'e', ARGV[at + 3], 'c', turn)
    else
      redis.call('XADD', stream, '*', 'e', ARGV[at + 3])
    end
    added = added + 1
  end
end
return added`,
)

export function publish(
  redis: Redis,
  keys: Keys,
  { term, number, events }: LeaderWrite & { events: readonly Published[] },
): Promise<number> {
  const streams = new Map<number, number>()
  const names = [keys.terms, keys.seen, keys.acks, keys.clicks, keys.writes]
  const args: (string | number)[] = [term, number, events.length]
  const clicks: (string | number)[] = []
  let n = 0
  for (const { name, id, partition, event, click } of events) {
    let at = streams.get(partition)
    if (at === undefined) streams.set(partition, (at = names.push(keys.events(partition))))
    args.push(name, id, at, event)
    n++
    if (click) clicks.push(n, click.interactionId, Math.round(click.delayMs), click.click)
  }
  for (const one of clicks) args.push(one)
  return run(redis, publishScript, names, args)
}

/** KEYS: the dead-letter list, a stream. ARGV: the event's key, its text. Moves the event back, once. */
const replayScript = script<number>(
  'replay',
  `
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', 'e', ARGV[2], 'r', '1')
return 1`,
)

/** Runs an event of the dead-letter list again. 0: another caller did. */
export const replayEvent = (
  redis: Redis,
  keys: Keys,
  { key, partition, event }: { key: string; partition: number; event: string },
): Promise<number> => run(redis, replayScript, [keys.setAside, keys.events(partition)], [key, event])

/** KEYS: terms, position, seen. ARGV: the term, after, savedAtMs, era, whether the ids began anew. */
const savePositionScript = script<number>(
  'position-save',
  `
if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then return 0 end
${isNewWrite('KEYS[4]', 'ARGV[6]')}
if not is_new then return 1 end
redis.call('HSET', KEYS[2], 'after', ARGV[2], 'savedAtMs', ARGV[3], 'era', ARGV[4])
if ARGV[5] == '1' then redis.call('DEL', KEYS[3]) else redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[2]) end
return 1`,
)

export const savePosition = (
  redis: Redis,
  keys: Keys,
  position: LeaderWrite & { after: number; savedAtMs: number; era: number; reset: boolean },
): Promise<number> =>
  run(
    redis,
    savePositionScript,
    [keys.terms, keys.position, keys.seen, keys.writes],
    [position.term, position.after, position.savedAtMs, position.era, position.reset ? 1 : 0, position.number],
  )

/**
 * KEYS: owners, the lease, writes, then stream and begun of each partition. ARGV: the instance, the commit's number, the number of partitions, and for each of them its
 * number, owner, number of ends, number of beginnings, the ended entries, and the begun entries with their counts.
 * Ends come first: Redis accepts them when its memory is full, and everything else in the same script with them.
 */
const commitScript = script<number>(
  'commit',
  `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
local parts, at = {}, 4
for n = 1, tonumber(ARGV[3]) do
  if redis.call('HGET', KEYS[1], ARGV[at]) ~= ARGV[at + 1] then return 0 end
  local ends, begins = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]) * 2
  parts[n] = { at + 4, at + 3 + ends, at + 3 + ends + begins }
  at = at + 4 + ends + begins
end
if tonumber(ARGV[2]) <= tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or 0) then return 1 end
for n, part in ipairs(parts) do
  if part[2] >= part[1] then
    redis.call('XDEL', KEYS[2 + 2 * n], unpack(ARGV, part[1], part[2]))
    redis.call('HDEL', KEYS[3 + 2 * n], unpack(ARGV, part[1], part[2]))
  end
end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
for n, part in ipairs(parts) do
  if part[3] > part[2] then redis.call('HSET', KEYS[3 + 2 * n], unpack(ARGV, part[2] + 1, part[3])) end
end
return 1`,
)

export type Commit = Omit<Committed, 'begin' | 'finish'> & {
  begin: readonly { entry: string; begun: string }[]
  finish: readonly string[]
}

/** `lease`: the key of the instance's lease. */
export function commit(
  redis: Redis,
  keys: Keys,
  {
    instance,
    lease,
    number,
    partitions,
  }: { instance: string; lease: string; number: number; partitions: readonly Commit[] },
): Promise<number> {
  const names = [keys.owners, lease, keys.writes]
  const args: (string | number)[] = [instance, number, partitions.length]
  for (const { partition, owner, begin, finish } of partitions) {
    names.push(keys.events(partition), keys.begun(partition))
    args.push(partition, owner, finish.length, begin.length)
    for (const entry of finish) args.push(entry)
    for (const { entry, begun } of begin) args.push(entry, begun)
  }
  return run(redis, commitScript, names, args)
}

/** KEYS: begun of the partitions. ARGV: for each entry the place of its key, its id, the expected and the new text. */
const pardonScript = script<number>(
  'pardon',
  `
local noted = 0
for at = 1, #ARGV, 4 do
  local key = KEYS[tonumber(ARGV[at])]
  if redis.call('HGET', key, ARGV[at + 1]) == ARGV[at + 2] then
    redis.call('HSET', key, ARGV[at + 1], ARGV[at + 3])
    noted = noted + 1
  end
end
return noted`,
)

export function pardonEntries(
  redis: Redis,
  keys: Keys,
  entries: readonly { partition: number; entry: string; from: string; to: string }[],
): Promise<number> {
  const places = new Map<number, number>()
  const names: string[] = []
  const args: (string | number)[] = []
  for (const { partition, entry, from, to } of entries) {
    let at = places.get(partition)
    if (at === undefined) places.set(partition, (at = names.push(keys.begun(partition))))
    args.push(at, entry, from, to)
  }
  return run(redis, pardonScript, names, args)
}

/** KEYS: terms, owners, moves, changes. ARGV: the term, and for each change the partition, owner and move as they are and as they will be. */
const assignScript = script<number>(
  'assign',
  `
if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then return -1 end
local applied = 0
for at = 2, #ARGV, 5 do
  local owner, move = redis.call('HGET', KEYS[2], ARGV[at]) or '', redis.call('HGET', KEYS[3], ARGV[at]) or ''
  if owner == ARGV[at + 1] and move == ARGV[at + 2] then
    redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 3])
    if ARGV[at + 4] == '' then redis.call('HDEL', KEYS[3], ARGV[at]) else redis.call('HSET', KEYS[3], ARGV[at], ARGV[at + 4]) end
    applied = applied + 1
  end
end
if applied > 0 then ${WAKE('KEYS[4]')} end
return applied`,
)

export const applyAssignments = (
  redis: Redis,
  keys: Keys,
  { term, changes }: { term: number; changes: readonly Assignment[] },
): Promise<number> =>
  run(
    redis,
    assignScript,
    [keys.terms, keys.owners, keys.moves, keys.changes],
    [term, ...changes.flatMap(({ partition, from, to }) => [partition, from.owner, from.move, to.owner, to.move])],
  )

/** KEYS: owners, moves, changes. ARGV: for each partition its number and owner. */
const releaseScript = script<number>(
  'release',
  `
local released = 0
for at = 1, #ARGV, 2 do
  if ARGV[at + 1] ~= '' and redis.call('HGET', KEYS[1], ARGV[at]) == ARGV[at + 1] then
    local epoch = tonumber(string.match(ARGV[at + 1], '#(%d+)$'))
    local move = redis.call('HGET', KEYS[2], ARGV[at]) or ''
    redis.call('HSET', KEYS[1], ARGV[at], move .. '#' .. string.format('%.0f', epoch + 1))
    redis.call('HDEL', KEYS[2], ARGV[at])
    released = released + 1
  end
end
if released > 0 then ${WAKE('KEYS[3]')} end
return released`,
)

export const release = (
  redis: Redis,
  keys: Keys,
  partitions: readonly { partition: number; owner: string }[],
): Promise<number> =>
  run(
    redis,
    releaseScript,
    [keys.owners, keys.moves, keys.changes],
    partitions.flatMap(({ partition, owner }) => [partition, owner]),
  )

/** KEYS: acks. ARGV: the click, its expected turn. */
const takeTurnScript = script<number>(
  'click-turn',
  `
local turn = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not turn or tonumber(turn) ~= tonumber(ARGV[2]) then return 0 end
${NOW}
now = math.max(now, turn + 1)
redis.call('ZADD', KEYS[1], now, ARGV[1])
return now`,
)

export const takeTurn = (
  redis: Redis,
  keys: Keys,
  { interactionId, turnAtMs }: { interactionId: string; turnAtMs: number },
): Promise<number> => run(redis, takeTurnScript, [keys.acks], [interactionId, turnAtMs])

/** KEYS: acks, clicks. ARGV: the clicks. */
const removeClicksScript = script<number>(
  'click-remove',
  `
local removed = redis.call('ZREM', KEYS[1], unpack(ARGV))
redis.call('HDEL', KEYS[2], unpack(ARGV))
return removed`,
)

export const removeClicks = (redis: Redis, keys: Keys, interactionIds: readonly string[]): Promise<number> =>
  run(redis, removeClicksScript, [keys.acks, keys.clicks], interactionIds)

/** The earliest turn of a click that has not failed before `since`; -1: there is none. */
export const nextTurn = (acks: string, since: string) => `
local function next_turn()
  local first = redis.call('ZRANGEBYSCORE', ${acks}, ${since} - ${LATE_MS}, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return tonumber(first[2] or -1)
end`

/** Clicks whose turns are taken in one step. */
const SWEPT_AT_ONCE = 100

/** KEYS: acks, clicks. ARGV: since when this instance has run. */
const sweepClicksScript = script<(string | number)[]>(
  'click-sweep',
  `
${NOW}
${nextTurn('KEYS[1]', 'ARGV[1]')}
local due = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1] - ${LATE_MS}, now - ${TURN_MS}, 'LIMIT', 0, ${SWEPT_AT_ONCE})
local taken = {}
for _, id in ipairs(due) do
  local due_at, click = string.match(redis.call('HGET', KEYS[2], id) or '', '^(%d+) (.*)$')
  if now > tonumber(due_at or 0) + ${GIVE_UP_MS} then
    redis.call('ZREM', KEYS[1], id)
    redis.call('HDEL', KEYS[2], id)
  else
    redis.call('ZADD', KEYS[1], now, id)
    taken[#taken + 1] = id
    taken[#taken + 1] = now
    taken[#taken + 1] = click
  end
end
return { next_turn(), unpack(taken) }`,
)

export async function sweepClicks(redis: Redis, keys: Keys, { sinceMs }: { sinceMs: number }): Promise<Swept> {
  const [nextTurnAtMs, ...found] = await run(redis, sweepClicksScript, [keys.acks, keys.clicks], [sinceMs])
  const taken: Swept['taken'] = []
  for (let at = 0; at < found.length; at += 3)
    taken.push({ interactionId: String(found[at]), turnAtMs: Number(found[at + 1]), click: String(found[at + 2]) })
  return { nextTurnAtMs: Number(nextTurnAtMs), taken }
}

/** KEYS: the streams. */
const countScript = script<number>(
  'count-events',
  `
local sum = 0
for _, key in ipairs(KEYS) do sum = sum + redis.call('XLEN', key) end
return sum`,
)

/** How many events are not finished. */
export const countWaiting = (redis: Redis, keys: Keys, partitions: number): Promise<number> =>
  run(
    redis,
    countScript,
    Array.from({ length: partitions }, (_, partition) => keys.events(partition)),
  )
