import type { Redis } from 'ioredis'

/** A program that Redis runs in one step, and the type of what it answers. Redis keeps it; only its hash travels. */
export interface Script<Reply> {
  readonly name: string
  readonly lua: string
  /** Never there: it carries the type. */
  readonly reply?: Reply
}

/** `name` is unique among the scripts of the house. Every key comes in `KEYS`, or begins with the bot's prefix (one hash tag). */
export const script = <Reply>(name: string, lua: string): Script<Reply> => ({ name: `botwright-${name}`, lua })

type Run = (keys: number, all: (string | number | Buffer)[]) => Promise<unknown>

/** Runs a script on a connection. Rejects with the error of Redis or of the connection. */
export function run<Reply>(
  redis: Redis,
  { name, lua }: Script<Reply>,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[] = [],
): Promise<Reply> {
  const commands = redis as unknown as Record<string, Run | undefined>
  if (commands[name] === undefined) redis.defineCommand(name, { lua })
  // One array: JavaScript limits the number of arguments of a call.
  return commands[name]!(keys.length, [...keys, ...args]) as Promise<Reply>
}

/** Redis' own time in whole milliseconds, as `now`, for the beginning of a script: one clock for all instances. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`
