import type { Found } from './found.ts'
import type { Place } from './places.ts'
import type { Windows } from './windows.ts'

/** A difference in a play, besides its case. */
export interface Variant {
  /** The bot is restarted before these acts, if it is idle. */
  restarts?: readonly number[]
  /** This person does nothing. */
  without?: number
  /** The time zone of the computer. Default UTC. */
  zone?: string
  /** Acts of one instant happen one after the other: in their order, or in the other one. */
  order?: 'first' | 'second'
  /** Other random numbers for the bot. */
  salt?: number
  /** Called before each act. */
  at?: ((step: string, file: string) => void) | undefined
}

export interface Played {
  found: Found[]
  /** The texts that people saw after each act. */
  windows: Windows
  lines: string[]
  /** The texts that people have written, by the number of the act. */
  said: ReadonlyMap<number, string>
  /** The files of handlers that have run without a refusal. */
  ran: Set<string>
  /** Why files refused everyone so far. */
  refused: Map<string, string>
  /** The acts before which the bot was restarted. */
  restarted: number[]
  /** The first use of local time after each act. */
  localTime: Map<number, Place>
}
