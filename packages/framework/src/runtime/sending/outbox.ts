import type { CallHandle } from '@botwright/rest'
import type { Outbox } from '../../link/ports.ts'
import { Broadcaster, type BroadcasterOptions } from './broadcaster.ts'

/** The outbox of a running bot, and what its owner does with it. */
export interface OwnedOutbox extends Outbox {
  readonly broadcasts: Broadcaster
}

/** Joins what the supervisor sends for handlers. */
export function createOutbox(options: Omit<BroadcasterOptions, 'call'> & { call: CallHandle }): OwnedOutbox {
  const { call } = options
  return {
    broadcasts: new Broadcaster(options),
    budget: async () => {
      const { limit, used, waiting, freeInMs } = call.stats()
      return { limit, used, waiting, freeInMs }
    },
  }
}
