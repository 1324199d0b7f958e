import type { EventType } from '@botwright/protocol/shapes'
import type { Duration } from '../duration.ts'

/** Which missed events of a type run: up to an age, all of them, or clicks that are still open. */
export type CatchUpLimit = number | 'all' | 'open'

/** The keys of `catchUp`: types of the interface, unknown types, and a default. */
type Limited = EventType | 'unknown' | 'default'

/** `catchUp` of `bot.config.ts`: `{ message: '2m', member_join: 'all', interaction: 'open', default: '1h' }`. */
export type CatchUpInput = {
  [Type in Limited]?: Duration | 'all' | (Type extends 'interaction' ? 'open' : never) | undefined
}

/** The limits in milliseconds. */
export type CatchUp = { [Type in Limited]?: CatchUpLimit | undefined }
