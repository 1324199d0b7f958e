import type { Timer } from '@botwright/clock'
import type { LogRecord } from '../../link/durable/run-log.ts'
import type { RunHead, RunInput, RunPart, RunRows } from '../../link/durable/run-store.ts'
import type { Outcome } from '../../link/ports.ts'
import type { Replay } from './replay.ts'

/** A run whose function is in memory. */
export interface LiveRun extends Pick<RunHead, 'id' | 'file' | 'event' | 'startedMs' | 'endsMs' | 'part'> {
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
  /** Resolves when its last head is stored. Never rejects. */
  saved: Promise<void>
  drop?: Timer
  /** Why it ended early without an error. */
  note?: string
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
  { id, file, event, startedMs, endsMs, part, replay, note }: LiveRun,
  rest: Pick<RunHead, 'status' | 'changedMs' | 'waits'> & { error?: string | undefined },
): RunHead {
  const { error, ...facts } = rest
  return {
    ...{ id, file, event, startedMs, ...facts, steps: replay.steps },
    ...(endsMs !== undefined && { endsMs }),
    ...(part && { part }),
    ...(error !== undefined && { error }),
    ...(facts.status === 'done' && note !== undefined && { note }),
  }
}

/** How many messages of its former parts a run remembers: a search for a message looks at no more. */
const MESSAGES = 100

/** The next part of a run. */
export const nextPart = ({ part, replay }: LiveRun, startedMs: number, input: RunInput | undefined): RunPart => ({
  ...{ number: (part?.number ?? 0) + 1, startedMs, messages: [...replay.ownMessages].slice(-MESSAGES) },
  ...(input && { input }),
})

/** The outcome of a run that has ended. */
export const outcomeOf = ({ event, file, startedMs }: LiveRun, endedMs: number, error: Outcome['error']): Outcome => ({
  ...{ eventId: event.id, type: event.type, file, ms: endedMs - startedMs, result: error ? 'error' : 'ok' },
  ...(error && { error }),
})

/** A failed run that begins again, with its present part and the whole of its `timeout`. */
export function retried(head: RunHead, startedMs: number): RunHead {
  const { error: _, endsMs: __, part, ...facts } = head
  return {
    ...{ ...facts, status: 'waiting', startedMs, changedMs: startedMs, waits: [], steps: 0 },
    ...(part && { part: { ...part, startedMs } }),
  }
}
