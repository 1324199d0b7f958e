import type { Clock } from '@botwright/clock'
import type { Call, CallOptions } from '@botwright/rest'
import { recordCall } from '../../link/record-call.ts'
import type { CallRecorder } from '../../link/record-call.ts'
import { toPlainError } from '../../link/errors/plain-error.ts'
import type { FromWorker, SpanId, ToWorker } from '../../link/messages.ts'

export interface ThreadCallsOptions {
  call: Call
  clock: Clock
  recorder: () => CallRecorder | undefined
  /** The bot's folder, where tracing finds OpenTelemetry. */
  root: () => string
  /** Hears what came of each call, when it is no longer counted. */
  answered(reply: ToWorker): void
}

/** Loads OpenTelemetry with the first traced call. */
async function withinSpan<T>(root: string, span: SpanId, run: () => Promise<T>): Promise<T> {
  const { runWithinSpan } = await import('../../link/opentelemetry.ts')
  return runWithinSpan(root, span, run)
}

/** What the code in a thread has asked of the service, and what has not come back yet. */
export class ThreadCalls {
  readonly #open = new Map<number, AbortController>()
  readonly #options: ThreadCallsOptions

  constructor(options: ThreadCallsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  make({ id, name, input, priority, timeoutMs, eventId, span }: FromWorker & { kind: 'call' }): void {
    const { clock, recorder, root } = this.#options
    const abort = new AbortController()
    this.#open.set(id, abort)
    const call = this.#options.call as unknown as (
      name: string,
      input: unknown,
      options: CallOptions,
    ) => Promise<unknown>
    const callOptions = {
      signal: abort.signal,
      ...(priority !== undefined && { priority: priority as NonNullable<CallOptions['priority']> }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    const answer = span
      ? withinSpan(root(), span, () => call(name, input, callOptions))
      : call(name, input, callOptions)
    const answered = (reply: ToWorker) => {
      this.#open.delete(id)
      this.#options.answered(reply)
    }
    recordCall(recorder(), { eventId, name, input }, answer, clock).then(
      (value) => answered({ kind: 'answer', id, value }),
      (error: unknown) => answered({ kind: 'refusal', id, error: toPlainError(error) }),
    )
  }

  cancel(id: number, why: string): void {
    this.#open.get(id)?.abort(new Error(why))
  }

  /** Each still answers; what has not left does not leave. */
  cancelAll(why: string): void {
    for (const abort of this.#open.values()) abort.abort(new Error(why))
  }
}
