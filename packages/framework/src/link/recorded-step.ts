import type { BotEvent, EventKey } from '@botwright/events/event'
import type { Outcome } from './ports.ts'
import type { TimelineFailure, TimelineStep, Unanswered } from '@botwright/protocol/timeline'

/** The recorded form of a step: its times are absolute, and its words are not stored. */
type Recorded<S> = S extends TimelineStep ? Omit<S, 'atMs' | 'text' | 'link'> & { t: number } : never

/** A step as it is recorded. `t`: when it began, in milliseconds since 1970, with fractions. Calls are recorded separately. */
export type RecordedStep = Recorded<Exclude<TimelineStep, { kind: 'call' | 'finished' }>>

/** The recorded details of an error, besides those of every outcome. */
export type FailureDetails = Pick<TimelineFailure, 'name' | 'code' | 'frame' | 'causes'>

/** An outcome with the details of its error. */
export interface RecordedOutcome extends Outcome {
  error?: NonNullable<Outcome['error']> & { details?: FailureDetails }
}

/**
 * Steps of one run of a handler, on their way to the recorder. They are JSON already, because cloning an object costs more than writing it.
 * Each of them is the beginning of a step, or the end of one that was sent before.
 */
interface RunSteps {
  readonly eventId: EventKey
  /** When the run began, in milliseconds since 1970. */
  readonly startedMs: number
  /** They are the first of this run. */
  readonly begins: boolean
  /** A file matched the event. */
  readonly matched: boolean
  /** Contains values that the recorder cuts, after it has hidden secrets in them. */
  readonly long: boolean
  /** Steps separated by commas. */
  readonly json: string
}

/** Several `RunSteps`, their fields one after the other. */
export type StepMessage = readonly RunSteps[keyof RunSteps][]

/** Passes the steps of a thread to the recorder. */
export interface StepReports {
  send: (message: StepMessage) => void
  /** Calls `flush` of the recording at the end of this turn. */
  sendSoon: () => void
  /** A durable run of this event continues from its record at this time, in milliseconds since 1970. */
  continues: (event: BotEvent, startedMs: number) => void
}

/** A step in a message and in the file. Times are whole microseconds. */
export type StoredStep = {
  readonly kind: string
  /** When it began, after the begin of its run. */
  readonly r: number
  /** How long it took. Left out for moments, and for steps that have not ended. */
  readonly us?: number
  /** A wait that was stored before, and has not ended: this step is the same. */
  readonly again?: true
}

/** The end of a step that was stored before. `end`: its number in its run. */
export interface StoredEnd {
  readonly end: number
  readonly us: number
  readonly unanswered?: Unanswered
}

/** The JSON of a longer value is cut. */
export const LONGEST_VALUE = 2000

/** A value whose JSON is longer. Secrets in it are hidden before it is cut, which would leave a part of one. */
export interface LongValue {
  /** The beginning of its JSON. */
  readonly long: string
  readonly length: number
}

/** The JSON of a step without its last brace. */
export type StepHead = string & { readonly stepHead: unique symbol }

type Timeless<S> = S extends RecordedStep ? Omit<S, 't' | 'ms'> : never

/** `again`: a wait that was recorded before the function of its durable run was dropped, and has not ended. */
type Head = Timeless<RecordedStep> & { again?: true }

/** The JSON of a step without its times. */
export const stepHead = (step: Head): StepHead => JSON.stringify(step).slice(0, -1) as StepHead
