import type { TimelineStep } from '@botwright/protocol/timeline'

/** The recorded form of a step: its time is absolute, and its words are not stored. */
type Recorded<S> = S extends TimelineStep ? Omit<S, 'atMs' | 'text' | 'link'> & { t: number } : never

/** A step as it is recorded. `t`: when it began, in milliseconds since 1970, with fractions. Calls are recorded separately. */
export type RecordedStep = Recorded<Exclude<TimelineStep, { kind: 'call' | 'finished' }>>
