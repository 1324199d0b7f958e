import type { TimelineFailure, TimelineStep } from '@botwright/protocol/timeline'

/** The recorded form of a step: its times are absolute, and its words are not stored. */
type Recorded<S> = S extends TimelineStep ? Omit<S, 'atMs' | 'text' | 'link'> & { t: number } : never

/** A step as it is recorded. `t`: when it began, in milliseconds since 1970, with fractions. Calls are recorded separately. */
export type RecordedStep = Recorded<Exclude<TimelineStep, { kind: 'call' | 'finished' }>>

/** The recorded details of an error, besides those of every outcome. */
export type FailureDetails = Pick<TimelineFailure, 'name' | 'code' | 'frame' | 'causes'>

/** A value in the bot's thread: its JSON, or the beginning of it. Secrets in it are hidden when it is written. */
export interface LinkedValue {
  json: string
  length: number
}

type LinkedState = Omit<Extract<RecordedStep, { kind: 'state' }>, 'before' | 'after'> & {
  before?: LinkedValue | undefined
  after?: LinkedValue | undefined
}

/** A step on its way to the recorder. */
export type LinkedStep = Exclude<RecordedStep, { kind: 'state' }> | LinkedState

/** A step of an event. `n`: its number in this run of the handler; the same number again replaces it. A run begins with 0. */
export type StepEntry = readonly [eventId: number, n: number, step: LinkedStep]
