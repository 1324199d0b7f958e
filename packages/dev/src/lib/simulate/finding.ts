// The messages of a simulation, which runs in a process of its own. All of them are plain data.

/** The kind of a problem that a simulation finds. */
export type FindingKind =
  | 'error'
  | 'unawaited'
  | 'refused'
  | 'button'
  | 'timeout'
  | 'hangs'
  | 'invariant'
  | 'restart'
  | 'others'
  | 'at_once'
  | 'time_zone'
  | 'answered_by_other'
  | 'many_messages'
  | 'repeated_message'
  | 'unreachable'
  | 'blocked'

/** A kind of faults that happen to the bot: the service fails, the process ends, the store cannot be written, clocks move, the bot may do less. */
export const faultKinds = ['http', 'kill', 'restart', 'store', 'clock', 'permission'] as const
/** One of these kinds. */
export type FaultKind = (typeof faultKinds)[number]

/** A problem of a bot. */
export interface Finding {
  kind: FindingKind
  /** A warning may be intended. */
  severity: 'fault' | 'warning'
  /** From the bot's folder. */
  file: string
  line?: number
  text: string
  seed: number
  /** The acts of people, the faults, and the answers of the bot, one line each. */
  steps: string[]
  /** The shortest play that shows it. Plain data. */
  play: unknown
}

/** The options of a simulation. */
export interface SimulationRequest {
  /** The bot's folder, absolute. */
  root: string
  /** The absolute path of `@botwright/testing/simulation`, as the bot's folder finds it. */
  testing: string
  first: number
  seeds: number
  /** The simulated time of a seed. */
  minutes: number
  faults: readonly FaultKind[]
  /** Variables of the environment that the bot declares. */
  env: Readonly<Record<string, string>>
  /** Problems that are reported already, as `kind file:line`. */
  known: readonly string[]
  /** Plays this instead of the seeds. */
  play?: unknown
}

/** The lines of one file. */
export interface FileCoverage {
  file: string
  /** The lines that have code. */
  lines: number
  /** The lines that no play has reached, in ranges: `[[3, 5], [9, 9]]`. */
  missed: [from: number, to: number][]
}

/** A message of the process. */
export type SimulationMessage =
  | { kind: 'ready'; handlers: number; files: number }
  /** A play begins, which can be played again. */
  | { kind: 'play'; seed: number; play: unknown }
  /** Before a step that may block the process. */
  | { kind: 'at'; seed: number; step: string; file: string }
  | { kind: 'seed'; seed: number; acts: number }
  | { kind: 'finding'; finding: Finding }
  | { kind: 'coverage'; files: FileCoverage[] }
  | { kind: 'done' }
  | { kind: 'failed'; message: string; stack: string; code?: string }

/** Two findings with the same key are one problem. */
export const keyOf = ({ kind, file, line }: Pick<Finding, 'kind' | 'file' | 'line'>): string =>
  `${kind} ${file}${line === undefined ? '' : `:${line}`}`
