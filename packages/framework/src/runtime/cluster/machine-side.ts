import type { Call } from '@botwright/rest'
import type { MachineClaims } from './machine-claims.ts'
import type { Machine } from '../ports/cluster.ts'

/** What all parts of one instance work with. */
export interface MachineSide {
  readonly machine: Machine
  readonly claims: MachineClaims
  /** Calls that the fence did not let out. */
  readonly fenced: number
  /** The client for what is done in a handler's name. */
  callOf(call: Call): Call
}
