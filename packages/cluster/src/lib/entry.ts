import { type BotEvent, Delivery } from '@botwright/framework/cluster'
import type { Begun } from '../protocol/entries.ts'

/** An event of a partition. */
export class Entry extends Delivery {
  readonly partition: number
  /** The owner for which it was read: after a change of the owner, another object is read for the same entry. */
  readonly owner: string
  readonly entryId: string
  readonly begun: Begun
  /** `dropped`: the partition moved before it began. */
  phase: 'waiting' | 'begun' | 'dropped' = 'waiting'

  constructor(
    event: BotEvent,
    begun: Begun,
    row: { partition: number; owner: string; entryId: string; asked: boolean },
  ) {
    super(event, begun.attempts, row.asked)
    this.partition = row.partition
    this.owner = row.owner
    this.entryId = row.entryId
    this.begun = begun
  }
}
