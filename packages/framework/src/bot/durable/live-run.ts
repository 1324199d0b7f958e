import type { Timer } from '@botwright/clock'
import type { RunHead } from './run-store.ts'
import type { Replay } from './replay.ts'

/** A run whose function is in memory. */
export interface LiveRun extends Pick<RunHead, 'id' | 'file' | 'event' | 'startedMs' | 'received' | 'endsMs'> {
  replay: Replay
  /** Whether the store has its head, so that it no longer depends on the journal. */
  hasHead: boolean
  drop?: Timer
  /** Called when its replay has caught up: it stores new records, waits or has ended. */
  caughtUp?: () => void
  /** Callers that wait until it waits or has ended. */
  settles: (() => void)[]
}

/** How many received events a head has: the newest may not be finished in the journal. */
const MAX_RECEIVED = 20

/** The head of a run at this moment. */
export function headOf(
  { id, file, event, startedMs, endsMs, received }: LiveRun,
  rest: Pick<RunHead, 'status' | 'changedMs' | 'waits'> & { error?: string | undefined },
): RunHead {
  const { error, ...facts } = rest
  return {
    ...{ id, file, event, startedMs, ...facts, received: received.slice(-MAX_RECEIVED) },
    ...(endsMs !== undefined && { endsMs }),
    ...(error !== undefined && { error }),
  }
}
