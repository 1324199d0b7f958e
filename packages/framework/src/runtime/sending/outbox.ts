import type { CallHandle } from '@botwright/rest'
import type { Outbox } from '../../link/ports.ts'
import { Broadcaster, type BroadcasterOptions } from './broadcaster.ts'

/** The outbox of a running bot, with the broadcasts that its owner resumes and closes. */
export interface OwnedOutbox extends Outbox {
  readonly broadcasts: Broadcaster
}

/** Creates the outbox: the broadcasts and the message budget of one client. */
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
