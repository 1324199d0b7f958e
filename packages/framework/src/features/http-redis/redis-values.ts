// The bot's values on Redis. A value is one text, "<version> <end or nothing> <JSON>". Beside the values stand the set of their names, which Redis keeps
// in the order of their bytes (that of their code points, in UTF-8), and the set of their ends, by which the names of what is over are found.

import type { Stored } from '../../author/ports.ts'

/** A value stays on Redis so much longer than its time, for clocks that differ: readers check the time in it. */
const LINGER_MS = 60_000

/** The mark of a write lasts so long: longer than a caller without a reply tries again. */
const WRITTEN_MS = 10_000

/**
 * KEYS: value, names, ends, versions, the mark of this write, and the fence if there is one. ARGV: name, now, expected version or nothing.
 * A write may come twice, by two connections: the reply to the second is that it was done.
 */
const BEGIN = `
if KEYS[6] and redis.call('EXISTS', KEYS[6]) == 0 then return -1 end
if redis.call('EXISTS', KEYS[5]) == 1 then return 1 end
local now = tonumber(ARGV[2])
local version, ends = string.match(redis.call('GETRANGE', KEYS[1], 0, 40), '^(%d+) (%d*) ')
if ends and ends ~= '' and tonumber(ends) <= now then version = nil end
`

const DONE = `
redis.call('SET', KEYS[5], '', 'PX', ${WRITTEN_MS})
return 1`

/** 1: written; 0: it has another version; -1: the fence is gone. ARGV, too: the end or nothing, the text, the prefix of values. */
export const setValueScript = `${BEGIN}
if ARGV[3] ~= '' and ARGV[3] ~= (version or '0') then return 0 end
local over = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 20)
for _, name in ipairs(over) do
  redis.call('UNLINK', ARGV[6] .. name)
  redis.call('ZREM', KEYS[2], name)
  redis.call('ZREM', KEYS[3], name)
end
local text = redis.call('INCR', KEYS[4]) .. ' ' .. ARGV[4] .. ' ' .. ARGV[5]
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if ARGV[4] == '' then
  redis.call('SET', KEYS[1], text)
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  redis.call('SET', KEYS[1], text, 'PX', math.max(0, tonumber(ARGV[4]) - now) + ${LINGER_MS})
  redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
end${DONE}`

/** 1: deleted; 0: it was absent or has another version; -1: the fence is gone. */
export const deleteValueScript = `${BEGIN}
if not version or (ARGV[3] ~= '' and ARGV[3] ~= version) then return 0 end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])${DONE}`

/**
 * Names and values from `ARGV[1]` to `ARGV[2]`, at most `ARGV[3]` of them and of about so many bytes as `ARGV[4]`, so that Redis is not busy for long.
 * KEYS: names. ARGV, too: the prefix of values. The answer's first: the name up to which it looked, empty when that was the end.
 */
export const listValuesScript = `local names = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, tonumber(ARGV[3]))
local found, bytes = {''}, 0
for i, name in ipairs(names) do
  local text = redis.call('GET', ARGV[5] .. name)
  if text then
    found[#found + 1] = name
    found[#found + 1] = text
    bytes = bytes + #text
  end
  if bytes > tonumber(ARGV[4]) or i == tonumber(ARGV[3]) then
    found[1] = name
    break
  end
end
return found`

/** The value of a stored text: undefined if it is not one, as of another program. */
export function readRedisValue(text: string): Stored | undefined {
  const [head, version, end] = /^(\d{1,16}) (\d{0,16}) /.exec(text) ?? []
  if (head === undefined) return undefined
  try {
    const value = JSON.parse(text.slice(head.length)) as unknown
    return { value, version: Number(version), ...(end !== '' && { expiresAtMs: Number(end) }) }
  } catch {
    return undefined
  }
}
