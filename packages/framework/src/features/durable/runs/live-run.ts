import type { Timer } from '@botwright/clock'
import { type BotEvent, type EventKey, eventKey } from '@botwright/events/event'
import type { LogRecord } from '../stored/run-log.ts'
import type { RunHead, RunInput, RunPart, RunRows } from '../stored/run-store.ts'
import type { Outcome } from '../../../link/ports.ts'
import type { WaitData } from './durable-services.ts'
import type { Replay } from './replay.ts'

/** A run whose function is in memory. */
export interface LiveRun extends Pick<RunHead, 'id' | 'file' | 'event' | 'startedMs' | 'endsMs' | 'part'> {
  replay: Replay
  /** The stored rows that lead to it. */
  rows: RunRows
  /** The keys of the questions that it has asked since it last waited. Their rows lead to it, too. */
  asking: Set<string>
  /** The keys for which it waited before, and for which another handler waits now. */
  replaced: Set<string>
  /** The events that it has received, in its record. */
  seen: Set<EventKey>
  /** Those since it was last stored. */
  received: EventKey[]
  /** Whether it only waits, and is stored. */
  isQuiet: boolean
  /** Whether the store has its head, so that it no longer depends on the journal. */
  hasHead: boolean
  /** Resolves when its last head is stored. Never rejects. */
  saved: Promise<void>
  /** While it works: until a row leads to it. While it waits: until it is dropped. */
  timer?: Timer
  /** Why it ended early without an error. */
  note?: string
  /** Called when its replay has caught up: it stores new records, waits or has ended. */
  caughtUp?: () => void
  /** Callers that wait until its part waits or has ended. */
  settles: (() => void)[]
  /** How many of them, the first ones, have waited for the former part, too. */
  passed: number
}

/** The events in a record. */
export const eventsIn = (records: readonly LogRecord[]): EventKey[] =>
  records.flatMap((record) => {
    const { delivery } = ((record.t === 'result' && record.value) || {}) as { delivery?: { event: BotEvent } }
    return delivery ? eventKey(delivery.event) : []
  })

/** The head of a run at this moment. `waits`: by default what a run that has not ended waits for. */
export function headOf(
  { id, file, event, startedMs, endsMs, part, replay, note }: LiveRun,
  rest: Pick<RunHead, 'status' | 'changedMs' | 'wakeMs'> &
    Partial<Pick<RunHead, 'waits'>> & { error?: string | undefined },
): RunHead {
  const { error, ...facts } = rest
  const open = facts.status === 'waiting' ? replay.waits : []
  const waits = open.map(({ step, data }) => ({ step, ...(data as WaitData) }))
  return {
    ...{ id, file, event, startedMs, waits, ...facts, steps: replay.steps },
    ...(endsMs !== undefined && { endsMs }),
    ...(part && { part }),
    ...(error !== undefined && { error }),
    ...(facts.status === 'done' && note !== undefined && { note }),
  }
}

/** How many messages of its former parts a run remembers: a search for a message looks at no more. */
const MESSAGES = 100

/** How often `ctx.continueAs` has begun a part of a run. */
export const roundOf = ({ part }: { part?: RunPart | undefined }): number => part?.round ?? part?.number ?? 0

/** The next part of a run. */
export const nextPart = (
  { part, replay }: LiveRun,
  startedMs: number,
  { input, round }: { input: RunInput | undefined; round: number },
): RunPart => ({
  ...{ number: (part?.number ?? 0) + 1, round, startedMs, messages: [...replay.ownMessages].slice(-MESSAGES) },
  ...(input && { input }),
})

/** Takes the keys of the questions that a run has asked. */
export function takeAsked(run: LiveRun): Set<string> {
  const { asking } = run
  run.asking = new Set()
  return asking
}

/** The rows that lead to a run before it is stored. `asked`: the keys of its questions. Without a head, their rows may be missing. */
export function formerRows({ rows, asking, hasHead }: LiveRun, asked: readonly string[]): RunRows {
  // A question that is being posted may have the key of a former one.
  const left = [...(rows.left ?? []).filter((key) => !asking.has(key)), ...asked]
  return { ...rows, left, keys: hasHead ? new Set([...rows.keys, ...asked]) : rows.keys }
}

/** Takes the callers of a run, to settle them. */
export function takeCallers(run: LiveRun): (() => void)[] {
  run.passed = 0
  return run.settles.splice(0)
}

/** Passes callers on to the next part of their run. */
export function passOn(settles: (() => void)[], next: LiveRun): void {
  next.passed = settles.length
  next.settles.unshift(...settles.splice(0))
}

/** The outcome of a run that has ended. */
export const outcomeOf = (
  { event, file, startedMs }: Pick<RunHead, 'event' | 'file' | 'startedMs'>,
  endedMs: number,
  error: Outcome['error'],
): Outcome => ({
  ...{ eventId: eventKey(event), type: event.type, file, ms: endedMs - startedMs, result: error ? 'error' : 'ok' },
  ...(error && { error }),
})
