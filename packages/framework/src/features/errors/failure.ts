import type { EventKey } from '@botwright/events/event'
import type { BotContext } from '../../author/context.ts'

/** How something failed: a handler threw, was too slow or ended its thread, an event was set aside, or a task, a route or a durable run has failed. */
export type FailureKind = 'handler' | 'timeout' | 'crash' | 'set_aside' | 'task' | 'route' | 'durable_run'

/** A failure, as plain data. Secrets in its texts are hidden. */
export interface Failure {
  readonly kind: FailureKind
  /** The file that failed, `commands/ping.ts`, and the line that threw. */
  readonly file?: string
  readonly line?: number
  /** The type of its event: `message`. Left out for a task and a route. */
  readonly type?: string
  /** The id of its event, followed by `@` and its era if the service's ids have started again. */
  readonly eventId?: EventKey
  /** The reference that the person was given, or the sender of a request. The log has it too. */
  readonly reference?: string
  /** It runs again: after a crash, or a task or a request after a wait. */
  readonly again?: true
  /** How many failures since the last one were left out, because there were too many. */
  readonly omitted: number
}

/** The context of `events/error.ts`. */
export interface ErrorContext extends BotContext {
  /** The error, with its stack in the bot's own code, and its `code`. */
  readonly error: Error & { readonly code?: string }
  readonly failure: Failure
}
