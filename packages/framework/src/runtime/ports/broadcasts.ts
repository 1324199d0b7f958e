import type { Clock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import type { BudgetMeter, Log, StateStore } from '../../author/ports.ts'
import type { Broadcasts } from '../../author/sending/broadcast.ts'
import type { Claims } from '../../link/claims.ts'
import type { Outbox } from '../../link/ports.ts'

/** The prefix of their keys in the store. */
export const BROADCASTS = 'broadcast:'

/** The parts of a bot that its broadcasts use. */
export interface BroadcastsHost {
  call: Call
  store: StateStore
  clock: Clock
  log: Log
  /** In a cluster: which instance sends which broadcast. */
  claims?: Claims | undefined
}

/** The broadcasts of a bot, with what only its owner does. */
export interface OwnBroadcasts extends Broadcasts {
  /** Continues the broadcasts that an earlier process or a dead instance did not finish: later, if they cannot be read now. Never rejects. */
  resume(stored?: ReturnType<StateStore['list']>): Promise<void>
  /** Stops sending: other instances continue these broadcasts. */
  abandon(): void
  /** Sends no further message; the rest is sent after the next start. Resolves when the current message has succeeded, failed or been aborted. */
  close(): Promise<void>
}

/** Creates the outbox: the broadcasts and the message budget of one client. `stats`: those of the client. */
export const createOutbox = <B extends Broadcasts>(
  broadcasts: B,
  stats: () => BudgetMeter,
): Outbox & { broadcasts: B } => ({
  broadcasts,
  budget: async () => {
    const { limit, used, waiting, freeInMs } = stats()
    return { limit, used, waiting, freeInMs }
  },
})
