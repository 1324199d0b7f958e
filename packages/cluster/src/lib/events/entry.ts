import type { Delivery, Gathered } from '@botwright/framework/cluster'
import type { Begun } from '../../protocol/entries.ts'

/** An event of a partition. */
export interface Entry extends Delivery {
  readonly partition: number
  /** The owner for which it was read: after a change of the owner, another object is read for the same entry. */
  readonly owner: string
  readonly entryId: string
  readonly begun: Begun
  readonly asked: boolean
  /** `dropped`: the partition moved before it began. */
  phase: 'waiting' | 'begun' | 'dropped'
}

/** Runs an entry. */
export type RunEntry = (entry: Entry) => void | Promise<void | Gathered>
