import type { Clock } from '@botwright/clock'
import type { EndpointName, Input, Output } from '@botwright/protocol/shapes'
import type { SendTimes } from './budget.ts'
import type { ClickAnswers } from './click-answers.ts'
import type { LimitStore, Priority } from './limit-store.ts'

/** The options of a call. `priority` orders waiting messages (default: `reply`). */
export interface CallOptions {
  priority?: Priority | undefined
  signal?: AbortSignal
  timeoutMs?: number | undefined
  // How long after its begin this call may wait because the service asks for it (429). A longer wait fails at once. Default: as long as the
  // client's options allow. The message budget has no limit.
  longestWaitMs?: number | undefined
  // Fails at once if the service asks to wait for this channel, server or message (429). The message budget is waited for.
  refusesHold?: boolean
  // The input is known to be valid, and is sent without checks.
  unchecked?: boolean
  // Called when the message begins to wait for the budget.
  waiting?: () => void
  // Awaited just before each request is sent, after the message budget. If it throws, nothing is sent.
  leaving?: () => void | Promise<void>
  // Awaited when a message was temporarily refused or was not sent, before the wait until the next attempt.
  stayed?: () => void | Promise<void>
}

/** Calls an endpoint by its name with one flat object: path names, query and body together (§4). */
export type Call = <N extends EndpointName>(name: N, input: Input<N>, options?: CallOptions) => Promise<Output<N>>

/** A notice for the bot's owner. Contains no secrets. */
export interface RestReport {
  level: 'info' | 'warn' | 'error'
  code: string
  message: string
  [fact: string]: unknown
}

/** The address, the token and the retries of calls. */
export interface RestOptions {
  // Ends in the version segment, `…/v1` (§9).
  baseUrl: string
  token: string
  clock?: Clock
  // For the complete response, including its body. Default: 15,000.
  timeoutMs?: number
  // How long one call may wait because the service asks for it (429). A longer wait fails at once. Default: 300,000.
  longestWaitMs?: number
  // Default: 64.
  connections?: number
  // A `Connect`, whose type the compiler of a bot need not read. Default: HTTP.
  connect?: unknown
  // Default: 30 per 60 s (§8). `false` if another component enforces it.
  messageBudget?: { requests: number; seconds: number } | false
  sendTimes?: SendTimes
  // Replaces the message budget of this process.
  limitStore?: LimitStore
  onReport?: (report: RestReport) => void
  // Called with 1 when a request is sent, and with -1 when it got its response or was aborted.
  onTraffic?: (endpoint: string, change: 1 | -1) => void
  // Called when an answer begins to wait for the clock: what it waits for, in English. The result is called when it has waited.
  onDelay?: (what: string) => () => void
  random?: () => number
  // Default: 32 MiB.
  maxAnswerBytes?: number
}

/** Counts since the start. */
export interface RestStats {
  requests: number
  retries: number
  rateLimited: number
  // Messages that the service has accepted.
  sent: number
  // Messages waiting for the budget, and taken slots.
  waiting: number
  used: number
  // The total number of slots; `Infinity` without a budget.
  limit: number
  // The time until a slot is free; 0 if one is free.
  freeInMs: number
  // How far the `Date` of the last response is ahead of the clock of this host; missing if the service sends none. It is exact to a second.
  dateAheadMs?: number | undefined
}

/** Calls the endpoints of the table, and counts. */
export type CallHandle = Call & {
  answers: ClickAnswers
  stats(): RestStats
  // Loads the schemas that check inputs, so that the first call does not wait for them.
  warm(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
