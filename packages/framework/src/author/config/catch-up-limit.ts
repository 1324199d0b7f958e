import type { EventType } from '@botwright/protocol/shapes'
import type { Duration } from '../duration.ts'

/** How far back events of a type are made up for: so old at most, all of them, or while the click is open. */
export type CatchUpLimit = number | 'all' | 'open'

/** For which types a limit may be given: those of the interface, types that it does not list, and all others. */
type Limited = EventType | 'unknown' | 'default'

/** `catchUp` of `bot.config.ts` as it is written: `{ message: '2m', member_join: 'all', interaction: 'open', default: '1h' }`. */
export type CatchUpInput = {
  [Type in Limited]?: Duration | 'all' | (Type extends 'interaction' ? 'open' : never) | undefined
}

/** The limits in milliseconds. */
export type CatchUp = { [Type in Limited]?: CatchUpLimit | undefined }
