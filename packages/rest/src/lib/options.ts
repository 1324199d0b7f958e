import type { Clock } from '@botwright/clock'
import type { EndpointName, Input, Output } from '@botwright/protocol'

/** Which sends go first when the message budget is short: answers to a person, then replies, then broadcasts. */
export type Priority = 'answer' | 'reply' | 'broadcast'

/** What one call may be told beside its input. */
export interface CallOptions {
  /** Of a message; `reply` unless said. */
  priority?: Priority
  signal?: AbortSignal
  /** For the whole answer, its body included, from the moment that it is sent; the client's own unless said. */
  timeoutMs?: number
}

/** One call by the name of its endpoint. Everything that talks to the service goes through it. */
export type Call = <N extends EndpointName>(name: N, input: Input<N>, options?: CallOptions) => Promise<Output<N>>

/** Something worth a line in a log; holds no secret. */
export interface Report {
  level: 'info' | 'warn' | 'error'
  code: string
  message: string
}

/** How the client is set up. */
export interface RestOptions {
  /** The address of the bot interface, ending in its version: `https://…/v1` (§9). */
  baseUrl: string
  /** Sent as `Authorization: Bot <token>` (§5.1). */
  token: string
  clock?: Clock
  /** For one whole answer; 15 s unless said. */
  timeoutMs?: number
  /** Open connections at most; 64 unless said. */
  connections?: number
  /** Instead of the limit of §8; `false` sends without counting. */
  messageBudget?: { requests: number; seconds: number } | false
  /** Keeps the times of the last sends (milliseconds since 1970), so that a restart does not start with a full budget. */
  sendTimes?: { load(): number[]; save(times: number[]): void }
  /** An answer above it is refused; 64 MiB unless said. */
  maxAnswerBytes?: number
  onReport?: (report: Report) => void
  /** From 0 to 1; spreads the waits between tries. */
  random?: () => number
}
