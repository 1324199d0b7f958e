// The message budget on Redis: the set of slots that are taken, each with the time at which it is free again, by Redis' clock.

import { NOW, script } from '../redis/scripts.ts'

/** An instance that waits asks again within this time; its request lasts a little longer. */
export const ASK_AGAIN_MS = 3000
const WANTED_MS = 2 * ASK_AGAIN_MS + 1000

/**
 * KEYS everywhere: slots, wanted. In `wanted` stands what could not be given: its priority, how many of it wait on an instance, and that
 * instance, each with the time at which it is forgotten. `news`: now, how many slots are taken, and when the first of them are free.
 * ARGV everywhere: the channel, how long a slot is taken at most. `tidy` makes what another program may have written fit the rule: no slot is taken for longer than that.
 */
const NEWS = `
local function tidy()
  local latest = now + tonumber(ARGV[2])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. latest, '+inf', 'LIMIT', 0, 1000)) do redis.call('ZADD', KEYS[1], latest, id) end
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '(' .. (now + ${WANTED_MS}), '+inf')
end
local function news()
  local scores = {}
  local first = redis.call('ZRANGE', KEYS[1], 0, 59, 'WITHSCORES')
  for i = 2, #first, 2 do scores[#scores + 1] = first[i] end
  return now .. ' ' .. redis.call('ZCARD', KEYS[1]) .. ' ' .. table.concat(scores, ' ')
end
`

/**
 * Takes slots for those who wait on one instance, the more urgent first. ARGV behind the common ones: instance, limit, slots that are not for broadcasts,
 * how many answers, replies and broadcasts wait, then names for the slots. Answers how many of each may go, and the news.
 */
export const takeSlots = script<[number, number, number, string]>(
  'limits-take',
  `${NOW}${NEWS}
tidy()
local used, limit, life, next = redis.call('ZCARD', KEYS[1]), tonumber(ARGV[4]), tonumber(ARGV[2]), 9
local others = {0, 0, 0}
for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local priority, count, instance = string.match(member, '^([123]) (%d+) (.*)$')
  if not instance or instance == ARGV[3] then redis.call('ZREM', KEYS[2], member)
  else others[tonumber(priority)] = others[tonumber(priority)] + tonumber(count) end
end
local granted, urgent = {0, 0, 0}, 0
for priority = 1, 3 do
  local wanted = tonumber(ARGV[5 + priority])
  local room = limit - used - urgent
  if priority == 3 then room = room - tonumber(ARGV[5]) end
  while granted[priority] < math.min(wanted, room) and ARGV[next] do
    redis.call('ZADD', KEYS[1], now + life, ARGV[next])
    next = next + 1
    granted[priority] = granted[priority] + 1
  end
  used = used + granted[priority]
  -- Slots are left to all that is more urgent on other instances.
  urgent = urgent + others[priority]
  local waiting = wanted - granted[priority]
  if waiting > 0 then redis.call('ZADD', KEYS[2], now + ${WANTED_MS}, string.format('%d %d %s', priority, waiting, ARGV[3])) end
end
redis.call('PEXPIRE', KEYS[1], life)
redis.call('PEXPIRE', KEYS[2], ${WANTED_MS})
if next > 9 then redis.call('PUBLISH', ARGV[1], '') end
return {granted[1], granted[2], granted[3], news()}`,
)

/** ARGV behind the common ones: for each slot its name, and for how long it is taken from now: 0 gives it back. */
export const putSlots = script<string>(
  'limits-put',
  `${NOW}${NEWS}
for i = 3, #ARGV, 2 do
  local left = tonumber(ARGV[i + 1])
  if left > 0 then redis.call('ZADD', KEYS[1], now + left, ARGV[i]) else redis.call('ZREM', KEYS[1], ARGV[i]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
tidy()
if #ARGV > 2 then redis.call('PUBLISH', ARGV[1], '') end
return news()`,
)

/** Answers the news. */
export const readNews = script<string>('limits-news', `${NOW}${NEWS} return news()`)

/** An instance no longer waits. ARGV: the instance. */
export const wantNoMore = script<number>(
  'limits-want-no-more',
  `for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if string.match(member, '^%d %d+ (.*)$') == ARGV[1] then redis.call('ZREM', KEYS[2], member) end
end
return 1`,
)
