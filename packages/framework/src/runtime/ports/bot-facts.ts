import type { Delivery, FeedStats, JournalStats, QueueState, ReceiverStats, SetAside } from '@botwright/events'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call, RestStats } from '@botwright/rest'
import type { Definition } from '../../author/files/entries.ts'
import type { StateStore } from '../../author/ports.ts'
import type { RunFailure } from '../../link/ports.ts'
import type { ClusterFacts } from './cluster-facts.ts'

/** A store that does not respond within this time is reported as unavailable by the health endpoint and the control room. */
export const READ_MS = 1000

/** Why a bot stopped. */
export interface BotEnd {
  reason: 'stopped' | 'unauthorized'
  error?: Error
}

/** Counts of a running bot since its start. */
export interface BotStats extends FeedStats {
  /** Automatically acknowledged clicks. */
  acks: number
  /** Events that `catchUp` skipped; `finished` includes them. */
  skipped: number
  /** Events of types that this version does not support; `events/unknown.ts` receives them. */
  unknown: number
}

/** Counts of durable runs, by this process since its start. */
export interface RunCounts {
  /** How often a run continued because of an answer, a time or a request. */
  resumed: number
  done: number
  failed: number
  cancelled: number
}

/** The durable runs that have been continued with other code. */
export interface RenewedRuns {
  /** How many go on. */
  waiting: number
  /** Those that did not repeat their record: they have ended, or begin again. */
  mismatched: readonly { id: string; file: string; status: string }[]
}

/** The counts of a running bot. */
export interface BotFacts {
  stats: BotStats
  /** How far the clock of the service, which has created the events, is ahead of the bot's. */
  serviceAheadMs: number
  rest: RestStats
  journal?: JournalStats
  /** Of the receiver of event webhooks. */
  webhook?: Readonly<ReceiverStats>
  cluster?: ClusterFacts
  /** How many events are set aside. */
  setAside: number
  runs: { readonly counts: RunCounts; countWaiting(): Promise<number> }
  reloads: number
  workerRestarts: number
}

/** A running bot, for features that show its state or act on it. */
export interface ObservedBot {
  me: BotProfile
  call: Call
  store: StateStore
  facts: () => BotFacts
  definitions: () => readonly Definition[]
  /** The events that were set aside, as of the last `refresh`. */
  deadLetters: () => readonly SetAside[]
  /** Runs an event again that was set aside; false if it is not set aside. */
  replay: (id: number) => Promise<boolean>
  /** Runs a delivery that the framework makes itself. Never rejects. */
  dispatch: (delivery: Delivery, failed: (failure: RunFailure) => void) => Promise<void>
  /** The longest queues and those with the oldest events; none in a cluster, which has partitions. */
  queues: () => readonly QueueState[]
  /** The files that handle these deliveries. */
  files: (deliveries: readonly Delivery[]) => Promise<readonly (string | undefined)[]>
  /** Reads facts that need a request. */
  refresh: () => Promise<void>
}
