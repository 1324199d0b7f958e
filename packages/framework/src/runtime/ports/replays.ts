import type { Clock } from '@botwright/clock'
import type { Feed, Journal } from '@botwright/events'
import type { Log } from '../../author/ports.ts'

/** The parts of a bot that running events again needs, which other processes request. */
export interface ReplaysHost {
  feed: Pick<Feed, 'replay'>
  journal: Pick<Journal, 'replayRequests' | 'dropReplayRequest'>
  clock: Clock
  log: Log
  /** Whether another process can write to the journal. */
  isShared: boolean
}

/** Begins to look for such requests. */
export type OpenReplays = (host: ReplaysHost) => Promise<{ stop(): void }>
