import type { Clock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import type { Log, StateStore } from '../../author/ports.ts'
import type { Broadcasts } from '../../author/sending/broadcast.ts'
import type { Claims } from '../../link/claims.ts'

/** The prefix of their keys in the store. */
export const BROADCASTS = 'broadcast:'

/** The parts of a bot that its broadcasts use. */
export interface BroadcastsHost {
  call: Call
  store: StateStore
  clock: Clock
  log: Log
  /** In a cluster: which instance sends which broadcast. */
  claims?: Claims
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
