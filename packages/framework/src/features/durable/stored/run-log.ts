import type { BotEvent } from '@botwright/events/event'
import { BotwrightError } from '@botwright/protocol/facts'
import type { PlainError } from '../../../link/messages.ts'
import type { Cancellation } from './cancellation.ts'

/** A step was issued. Stored before its effect. */
export interface Intent {
  t: 'intent'
  step: number
  kind: string
  name: string
  /** The author's line, for error messages only. */
  place: string
  atMs: number
  /** Facts for a repeated step, such as the text of a message or the end of a wait. */
  data?: unknown
  /** The code that issued the step, and a digest of its arguments. */
  codeId?: string
  args?: string
  /** Of the first step: the version of the handler, unless it is 1. */
  version?: number
  /** The handler had thrown before: the step notifies its user. */
  notice?: true
}

/** A step ended. The order of results is the order in which the handler received them. */
export interface Result {
  t: 'result'
  step: number
  atMs: number
  value?: unknown
  error?: PlainError
  /** The step ended because the run was cancelled. */
  cancelled?: Cancellation
}

/** One record of a run's log. */
export type LogRecord = Intent | Result

/** The time of the service in a result: of the message or the event that it received. 0 if it has none. */
export function serviceMsOf({ kind }: Pick<Intent, 'kind'>, { value }: Result): number {
  const { created_at, held_until, message, delivery } = (value ?? {}) as {
    created_at?: unknown
    held_until?: unknown
    message?: { created_at?: unknown }
    delivery?: { event: BotEvent }
  }
  if (kind === 'answer') return delivery ? createdMs(delivery.event) : 0
  // The service does not know a message that is held.
  return kind === 'call' && held_until === undefined ? Date.parse(String(message?.created_at ?? created_at)) || 0 : 0
}

/** When an event happened, by the service. */
export function createdMs({ data, created_at }: BotEvent): number {
  const { created_at: own = created_at } = data
  return typeof own === 'string' ? Date.parse(own) || 0 : 0
}

/** A step to issue. */
export interface Step {
  kind: string
  name: string
  data?: unknown
  /** The data of its effect. Only a digest is recorded. */
  args: unknown
}

/** The limits of one run. */
export const runLimits = { steps: 1000, resultBytes: 256 * 1024 } as const

/** The error of a step beyond the limits. */
export function tooLong(place: string): BotwrightError {
  const { steps, resultBytes } = runLimits
  return new BotwrightError(
    'ERR_RUN_TOO_LONG',
    `${place}: a run has at most ${steps} steps and ${resultBytes / 1024} KiB of recorded results; split the work, or return less from ctx.step`,
  )
}

/** A value as its record has it, so that a handler receives the same in the first run and in a replay. */
export function plain(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}
