import type { BudgetMeter } from '../../author/ports.ts'
import type { Outbox } from '../../link/ports.ts'
import { Broadcaster, type BroadcasterOptions } from './broadcaster.ts'

/** The outbox of a running bot, with the broadcasts that its owner resumes and closes. */
export interface OwnedOutbox extends Outbox {
  readonly broadcasts: Broadcaster
}

/** Creates the outbox: the broadcasts and the message budget of one client. `stats`: those of the client. */
export function createOutbox({ stats, ...options }: BroadcasterOptions & { stats: () => BudgetMeter }): OwnedOutbox {
  return {
    broadcasts: new Broadcaster(options),
    budget: async () => {
      const { limit, used, waiting, freeInMs } = stats()
      return { limit, used, waiting, freeInMs }
    },
  }
}
