import type { PassedTo, TimelineValue } from '@botwright/protocol/timeline'
import type { LongValue, RecordedStep, StoredEnd, StoredStep } from '../../link/recorded-step.ts'
import type { RecordedCall, RecordedEvent, RecordedResult } from './recorded-event.ts'

/** When a step of the runtime began, in microseconds after the event was received. */
interface RuntimeStep extends Omit<StoredStep, 'r'> {
  readonly q: number
}

/** The steps after it are of the run that began so many microseconds after the event was received. */
interface RunMark {
  readonly run: number
}

/** A step of an older release: its times are in milliseconds, since 1970. */
interface OldStep {
  readonly kind: string
  readonly t: number
  readonly ms?: number
}

type Entry = StoredStep | RuntimeStep | OldStep | StoredEnd | RunMark

/** A call in the file: `q` and `us` are its begin after the event was received, and its duration. Fields of older releases are null. */
interface StoredCall {
  name: string
  q?: number
  us?: number
  atMs?: number | null
  ms?: number
  input?: unknown
  attempts?: number | null
  status?: number | null
  code?: string | null
  error?: string | null
  created?: string | null
  held_until?: string
  answer?: unknown
}

/** New facts of an event that was written before. A `result`, even if it is null, replaces the whole former outcome. */
export interface StoredAddition {
  steps?: readonly Entry[] | null
  calls?: readonly StoredCall[]
  result?: string | null
  file?: string | null
  us?: number
  ms?: number | null
  error?: string | null
  where?: string | null
  failure?: RecordedEvent['failure'] | null
}

/** An event in the file. */
export interface StoredEvent extends StoredAddition {
  seq: number
  /** When it was received, by the bot's clock in milliseconds since 1970. */
  at: number
  /** When it was received by the machine's clock, in microseconds after `at`. Missing in events of older releases. */
  t?: number
  /** Missing if it is the first. */
  attempt?: number
  /** The event that its queue waited for, if it has not started. */
  behind?: number
  event: { id: number; era?: number; type: string; created_at: string; data?: Record<string, unknown> | null }
}

const results: ReadonlySet<string> = new Set<RecordedResult>([
  ...(['ok', 'error', 'refused', 'timed_out', 'crashed', 'dead_lettered', 'skipped', 'none'] as const),
])

/** The event that was written with these additions. */
export function eventOf(
  stored: StoredEvent,
  additions: readonly StoredAddition[],
): Omit<RecordedEvent, 'baseUrl' | 'botId' | 'username'> {
  const { seq, at, event } = stored
  const receivedMs = at + (stored.t ?? 0) / 1000
  const all = [stored, ...additions]
  const { result, file, us, ms, error, where, failure } = all.findLast((one) => one.result !== undefined) ?? stored
  const durationMs = us === undefined ? ms : us / 1000
  const entries = all.flatMap(({ steps }) => steps ?? [])
  const steps = stored.steps ? stepsOf(stored, entries) : undefined
  const passed = result === 'none' && steps ? passedStep(steps) : undefined
  return {
    seq,
    id: event.id,
    ...(event.era !== undefined && { era: event.era }),
    type: event.type,
    created_at: event.created_at,
    data: event.data ?? undefined,
    atMs: at,
    // Null, or written by a newer release.
    result: passed ? 'passed' : results.has(result ?? '') ? (result as RecordedResult) : 'unfinished',
    ...(passed && { file: passed.to.file }),
    ...(typeof file === 'string' && { file }),
    ...(typeof durationMs === 'number' && { ms: durationMs }),
    ...(typeof error === 'string' && { error }),
    ...(where && { at: where }),
    calls: all.flatMap(({ calls = [] }) => calls.map((call) => callOf(call, receivedMs))),
    ...(steps && { steps }),
    ...(failure && { failure }),
  }
}

function callOf({ name, q, us, ...stored }: StoredCall, receivedMs: number): RecordedCall {
  const { input, answer, code, error, created, held_until, status, attempts = 1 } = stored
  const atMs = q === undefined ? stored.atMs : receivedMs + q / 1000
  return {
    name,
    input: input ?? undefined,
    ms: us === undefined ? (stored.ms ?? 0) : us / 1000,
    ...(typeof code === 'string' && { code }),
    ...(typeof error === 'string' && { error }),
    ...(typeof created === 'string' && { created }),
    ...(held_until !== undefined && { held_until }),
    ...(answer !== undefined && answer !== null && { answer }),
    ...(typeof atMs === 'number' && { atMs }),
    ...(typeof attempts === 'number' && { attempts }),
    ...(typeof status === 'number' && { status }),
  }
}

/** The steps with absolute times. */
function stepsOf({ at, t, attempt, behind }: StoredEvent, entries: readonly Entry[]): RecordedStep[] {
  if (t === undefined) return entries as unknown as RecordedStep[]
  const receivedMs = at + t / 1000
  const isContinued = entries.some((entry) => 'kind' in entry && entry.kind === 'continued')
  const isReceived = !isContinued || entries.some((entry) => 'kind' in entry && entry.kind === 'matched')
  const received = { kind: 'received' as const, t: receivedMs, ...(attempt !== undefined && { attempt }) }
  const steps: RecordedStep[] = isReceived ? [received] : []
  const runs = new Map<number, RecordedStep[]>()
  let run: RecordedStep[] = []
  let runMs = receivedMs
  /** When waits have begun again. */
  const begins = new Map<RecordedStep, number>()
  for (const entry of entries) {
    if (!('kind' in entry) && 'run' in entry) {
      runs.set(entry.run, (run = runs.get(entry.run) ?? []))
      runMs = receivedMs + entry.run / 1000
    } else if (!('kind' in entry)) {
      const step = run[entry.end]
      if (!step) continue
      step.ms = (begins.get(step) ?? step.t) + entry.us / 1000 - step.t
      if (step.kind === 'wait' && entry.unanswered) step.unanswered = entry.unanswered
    } else {
      const step = absolute(entry as StoredStep | RuntimeStep, receivedMs, runMs)
      const former = repeats(step, entry) ? steps.find((one) => isSame(one, step)) : undefined
      // The wait that continues, or the step with its duration.
      if (former && step.ms !== undefined) former.ms = step.t + step.ms - former.t
      if (former?.kind === 'wait' && step.kind === 'wait' && step.unanswered) former.unanswered = step.unanswered
      if (!former) steps.push(step)
      if ('r' in entry) run.push(former ?? step)
      if (former && 'r' in entry) begins.set(former, step.t)
    }
  }
  const isQueued = steps.some(({ kind }) => kind === 'queued')
  if (behind !== undefined && !isQueued) steps.splice(1, 0, { kind: 'queued', t: receivedMs, behind })
  return steps
}

/** Whether an entry repeats a step: a wait that goes on after a restart, or what is written again with its duration. */
const repeats = (step: RecordedStep, entry: Entry): boolean =>
  'again' in entry || ('q' in entry && step.kind === 'unmatched' && step.ms !== undefined)

function isSame(former: RecordedStep, step: RecordedStep): boolean {
  if (former.ms !== undefined || former.kind !== step.kind) return false
  if (former.kind === 'unmatched') return former.t === step.t
  return former.kind === 'wait' && step.kind === 'wait' && sameWait(former, step)
}

type Wait = Extract<RecordedStep, { kind: 'wait' }>
const sameWait = (a: Wait, b: Wait): boolean => a.for === b.for && a.what === b.what && a.name === b.name

export type PassedStep = Extract<RecordedStep, { kind: 'unmatched' }> & { to: PassedTo }

/** The step that passed an event to a handler that waited for it. */
export function passedStep(steps: readonly RecordedStep[]): PassedStep | undefined {
  const last = steps.findLast(({ kind }) => kind === 'unmatched') as PassedStep | undefined
  return last?.to && last
}

function absolute(stored: StoredStep | RuntimeStep, receivedMs: number, runMs: number): RecordedStep {
  const { us, ...fields } = stored
  const times = { t: 'q' in stored ? receivedMs + stored.q / 1000 : runMs + stored.r / 1000 }
  const { q: _q, r: _r, again: _again, ...step } = fields as { q?: number; r?: number; again?: true }
  return { ...step, ...times, ...(us !== undefined && { ms: us / 1000 }) } as unknown as RecordedStep
}

const valued = ['before', 'after', 'input'] as const
type WithValues = { [K in (typeof valued)[number]]?: LongValue | TimelineValue }

/** Cuts the long values in steps. */
export function withCutValues(json: string, cut: (value: LongValue) => TimelineValue): string {
  const steps = JSON.parse(`[${json}]`) as WithValues[]
  for (const step of steps)
    for (const name of valued) {
      const value = step[name]
      if (value && 'long' in value) step[name] = cut(value)
    }
  return JSON.stringify(steps).slice(1, -1)
}
