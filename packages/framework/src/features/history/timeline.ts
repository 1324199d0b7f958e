import {
  failedResults,
  type Timeline,
  TIMELINE_VERSION,
  type TimelineFailure,
  type TimelineStep,
} from '@botwright/protocol/timeline'
import { printableLine } from '@botwright/protocol/facts'
import type { RecordedStep } from '../../link/recorded-step.ts'
import { isRead } from './call-words.ts'
import { describeEvent, personOf } from './event-words.ts'
import type { RecordedCall, RecordedEvent } from './recorded-event.ts'
import { stepText, type WordlessStep } from './step-text.ts'

/** A shorter delay is the usual time of a poll. */
const LATE_MS = 5000

/** The timeline of a recorded event. Events of older releases, and of bots that stopped in between, have a shorter one. */
export function timelineOf(event: RecordedEvent): Timeline {
  const { seq, id, type, created_at, data, atMs, ms, result, steps } = event
  const file = event.file ?? matchedFile(steps)
  const { what, who } = describeEvent({ type, data: data ?? {} }, file ?? '', event.label)
  const failure = failureOf(event)
  return {
    version: TIMELINE_VERSION,
    event: {
      ...{ seq, id, type, title: what },
      ...(who !== '' && { who }),
      ...{ created_at, received_at: new Date(atMs).toISOString() },
      ...(data && { data }),
    },
    bot: { id: event.botId, username: event.username, baseUrl: event.baseUrl },
    result,
    ...(file !== undefined && { file }),
    ...(ms !== undefined && { ms }),
    steps: withText(
      steps ? recordedSteps(event, [...steps, ...(event.passedTo?.steps ?? [])]) : briefSteps(event),
      event.data ?? {},
    ),
    ...(failure && { failure }),
    ...(!steps && { brief: true as const }),
  }
}

/** The file of a handler that has not ended. */
function matchedFile(steps: readonly RecordedStep[] | undefined): string | undefined {
  const step = steps?.find(({ kind }) => kind === 'matched' || kind === 'continued')
  return step && 'file' in step ? step.file : undefined
}

/** `data`: that of the event. */
const withText = (steps: readonly WordlessStep[], data: Record<string, unknown>): TimelineStep[] =>
  steps.map((step) => ({
    ...step,
    text: `${stepText(step)}${isElsewhere(step, data['channel_id']) ? ' in another channel' : ''}${inputIds(step, data)}`,
  }))

/** ` (owner is the channel #general)`: what the ids in the input of a handler are in its event. */
function inputIds(step: WordlessStep, data: Record<string, unknown>): string {
  if (step.kind !== 'handler' || !step.input || 'cut' in step.input) return ''
  const { author_id, user_id = author_id, channel_id, server_id, channel_name } = data
  const place = typeof channel_name === 'string' ? ` #${channel_name}` : ''
  const known = new Map([
    [user_id, `the person ${personOf(data) ?? ''}`.trimEnd()],
    [channel_id, `the channel${place}`],
    [server_id, 'the server'],
  ])
  const named = Object.entries(step.input.value ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && known.has(value) ? [`${name} is ${known.get(value)}`] : [],
  )
  return named.length === 0 ? '' : printableLine(` (${named.join(', ')})`)
}

function isElsewhere(step: WordlessStep, channelId: unknown): boolean {
  if (step.kind !== 'call' || step.name !== 'messages.create' || typeof channelId !== 'string') return false
  const { channel_id } = (step.input ?? {}) as { channel_id?: unknown }
  return typeof channel_id === 'string' && channel_id !== channelId
}

/** The steps of a recording without them. Calls are assumed to follow each other, because only their durations are known. */
function briefSteps(event: RecordedEvent): WordlessStep[] {
  const steps: WordlessStep[] = [received(event)]
  if (event.file !== undefined) steps.push(handlerStep(event.file, event))
  let atMs = 0
  for (const call of event.calls) {
    steps.push(callStep(call, atMs))
    atMs += call.ms
  }
  return [...steps, ...finished(event, Math.max(atMs, event.ms ?? 0))]
}

function recordedSteps(event: RecordedEvent, recorded: readonly RecordedStep[]): WordlessStep[] {
  const first = recorded.find(({ kind }) => kind === 'received' || kind === 'continued')
  const startMs = first?.t ?? event.atMs
  const own = recorded.map((step) => ownStep(step, startMs))
  const made = [...event.calls, ...(event.passedTo?.calls ?? [])]
  const calls = made.map((call) => callStep(call, call.atMs === undefined ? 0 : rounded(call.atMs - startMs)))
  const begun = own.find(({ kind }) => kind === 'handler')
  // A thread that blocks or exits at once sends no steps.
  const lost = event.file !== undefined && !own.some(({ kind }) => begins.has(kind))
  const steps = [
    ...(first ? [] : [received(event)]),
    ...own,
    ...(lost ? [handlerStep(event.file!, event)] : []),
    ...calls,
  ].sort((a, b) => a.atMs - b.atMs)
  const passed = event.result === 'passed' && own.find((step) => step.kind === 'unmatched' && step.to)
  const last = passed ? [passed] : steps
  const endMs = Math.max(...last.map(({ atMs, ms = 0 }) => atMs + ms), (begun?.atMs ?? 0) + (event.ms ?? 0))
  return [...steps.map((step) => withLateness(step, event)), ...finished(event, endMs)]
}

const begins: ReadonlySet<WordlessStep['kind']> = new Set(['matched', 'unmatched', 'handler', 'continued'])

function ownStep({ t, ...step }: RecordedStep, startMs: number): WordlessStep {
  const relative = {
    ...step,
    atMs: rounded(t - startMs),
    ...(step.ms !== undefined && { ms: rounded(step.ms) }),
  } as WordlessStep
  if (relative.kind === 'wait' && relative.untilMs !== undefined) relative.untilMs = rounded(relative.untilMs - startMs)
  return relative
}

const received = (event: RecordedEvent): WordlessStep => withLateness({ kind: 'received', atMs: 0 }, event)

function withLateness(step: WordlessStep, { atMs, created_at }: RecordedEvent): WordlessStep {
  const lateMs = atMs - Date.parse(created_at)
  return step.kind === 'received' && lateMs >= LATE_MS ? { ...step, lateMs } : step
}

const handlerStep = (file: string, { ms }: RecordedEvent): WordlessStep => ({
  ...{ kind: 'handler', file, at: file, atMs: 0 },
  ...(ms !== undefined && { ms: rounded(ms) }),
})

function callStep(call: RecordedCall, atMs: number): WordlessStep {
  const { name, input, ms, status, code, error, created, held_until, attempts, answer } = call
  return {
    ...{ kind: 'call', atMs, ms: rounded(ms), name, answers: !isRead(name), ok: code === undefined },
    ...(input !== undefined && { input }),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(created !== undefined && { created }),
    ...(held_until !== undefined && { held_until }),
    ...(attempts !== undefined && attempts > 1 && { attempts }),
    ...(answer !== undefined && { response: answer }),
  }
}

function finished({ result, error }: RecordedEvent, atMs: number): WordlessStep[] {
  if (result === 'unfinished') return []
  return [{ kind: 'finished', atMs: rounded(atMs), result, ...(error !== undefined && { error }) }]
}

function failureOf({ result, error, at, failure, passedTo }: RecordedEvent): TimelineFailure | undefined {
  if (passedTo) return failureOf(passedTo)
  if (!failedResults.has(result) || error === undefined) return undefined
  return { message: error, ...(at !== undefined && at !== '' && { at }), causes: [], ...failure }
}

/** Milliseconds, to the microsecond. */
const rounded = (ms: number): number => Math.max(0, Math.round(ms * 1000) / 1000)
