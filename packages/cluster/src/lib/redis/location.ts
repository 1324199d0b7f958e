import type { RedisLink } from './connect.ts'
import type { Keys } from './keys.ts'

/** Where a bot is kept: the connections to its Redis, and its names there. */
export interface Location {
  link: RedisLink
  keys: Keys
}
