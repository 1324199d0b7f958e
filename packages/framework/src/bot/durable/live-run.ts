import type { Timer } from '@botwright/clock'
import type { LogRecord } from '../../link/durable/run-log.ts'
import type { RunHead, RunRows } from '../../link/durable/run-store.ts'
import type { Replay } from './replay.ts'

/** A run whose function is in memory. */
export interface LiveRun extends Pick<RunHead, 'id' | 'file' | 'event' | 'startedMs' | 'endsMs'> {
  replay: Replay
  /** The stored rows that lead to it. */
  rows: RunRows
  /** The events that it has received, in its record. */
  seen: Set<number>
  /** Those since it was last stored. */
  received: number[]
  /** Whether it only waits, and is stored. */
  isQuiet: boolean
  /** Whether the store has its head, so that it no longer depends on the journal. */
  hasHead: boolean
  drop?: Timer
  /** Called when its replay has caught up: it stores new records, waits or has ended. */
  caughtUp?: () => void
  /** Callers that wait until it waits or has ended. */
  settles: (() => void)[]
}

/** The ids of the events in a record. */
export const eventsIn = (records: readonly LogRecord[]): number[] =>
  records.flatMap((record) => {
    const { delivery } = ((record.t === 'result' && record.value) || {}) as { delivery?: { id: number } }
    return delivery?.id ?? []
  })

/** The head of a run at this moment. */
export function headOf(
  { id, file, event, startedMs, endsMs, replay }: LiveRun,
  rest: Pick<RunHead, 'status' | 'changedMs' | 'waits'> & { error?: string | undefined },
): RunHead {
  const { error, ...facts } = rest
  return {
    ...{ id, file, event, startedMs, ...facts, steps: replay.steps },
    ...(endsMs !== undefined && { endsMs }),
    ...(error !== undefined && { error }),
  }
}
