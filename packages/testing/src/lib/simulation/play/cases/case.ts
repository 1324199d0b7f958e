import type { FaultKind } from '@botwright/dev/compile'

/** Something that a person does. `pick` selects one of the buttons or messages that the person sees then. */
export type Act = { atMs: number; person: number; place: string } & (
  | { do: 'say'; text: string }
  | { do: 'click'; pick: number; twice?: true }
  | { do: 'react'; pick: number; emoji: string }
  | { do: 'edit'; pick: number; text: string }
  | { do: 'delete'; pick: number }
  | { do: 'leave'; forMs: number }
)

/** A fault, or a time of faults. */
export type Fault = { atMs: number } &
  /** The next calls fail. */
  (
    | { kind: 'http'; fate: 'refused' | 'cut_after' | 'timeout_after' | '500' | '502_after'; calls: number }
    | { kind: 'kill'; downMs: number }
    /** The process ends before or after a write of the author's code. */
    | { kind: 'kill_at_write'; write: number; after: boolean }
    | { kind: 'stop'; downMs: number }
    /** The next writes of the author's code fail, after `skip` that do not. */
    | { kind: 'store'; writes: number; skip?: number }
    /** The computer of the bot is wrong about the time. */
    | { kind: 'skew'; byMs: number }
    /** Hours or days in which people do nothing. */
    | { kind: 'leap'; forMs: number }
    | { kind: 'forbid'; forMs: number }
  )

/** How a play is judged: by itself under faults, or by comparing it with another play in which one thing is different. */
export type Mode = 'faults' | 'restart' | 'alone' | 'zone' | 'together'

/** All that happens in one play. The same case gives the same play. Plain data. */
export interface PlayCase {
  seed: number
  mode: Mode
  lengthMs: number
  acts: Act[]
  faults: Fault[]
}

/** The option of the command line that a fault belongs to. */
export const optionOf: Record<Fault['kind'], FaultKind> = {
  http: 'http',
  kill: 'kill',
  kill_at_write: 'kill',
  stop: 'restart',
  store: 'store',
  skew: 'clock',
  leap: 'clock',
  forbid: 'permission',
}
