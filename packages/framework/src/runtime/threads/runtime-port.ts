import type { Clock } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import type { LinkedCallOptions, RuntimePort, SpanId } from '../../link/messages.ts'
import { hideFromNow } from '../../link/redaction.ts'
import type { CallRecorder, DispatcherOptions, MadeCall } from './dispatcher.ts'

/** Callbacks for the reports of one load of the bot's code. */
export interface CodeReports {
  /** Called when a handler starts or stops waiting for an answer with this key. */
  onWaits(key: string, on: boolean): void
  /** Called when the handler of this event starts or stops waiting for a user. */
  onConversation(eventId: number, on: boolean): void
  onDeadLetter(event: BotEvent, reason: string, file: string): void
  /** Called with the place where the `onDispose` function that runs next was registered. */
  onDisposing(at: string): void
}

/** The runtime's side of the link: serves the requests of the bot's code. `rootOf` returns the bot's folder, known once its code loads. */
export function runtimePort(options: DispatcherOptions, rootOf: () => string, reports: CodeReports): RuntimePort {
  const { clock, log, recorder, services } = options
  const { outbox, store } = services
  const anyCall = services.call as unknown as (...args: unknown[]) => Promise<unknown>

  function call(name: string, input: unknown, { eventId, span, ...callOptions }: LinkedCallOptions): Promise<unknown> {
    const make = () => anyCall(name, input, callOptions)
    return recordCall(recorder, { eventId, name, input }, span ? withinSpan(span, make) : make(), clock)
  }

  /** Loads OpenTelemetry with the first traced call. */
  async function withinSpan<T>(span: SpanId, run: () => Promise<T>): Promise<T> {
    const { runWithinSpan } = await import('../../link/opentelemetry.ts')
    return runWithinSpan(rootOf(), span, run)
  }

  return {
    client: { call },
    store,
    broadcasts: outbox.broadcasts,
    outbox,
    reports: {
      log: (level, facts, message) => log[level](facts, message),
      secret: hideFromNow,
      outcome: (outcome) => options.observe?.(outcome),
      waits: (key, on) => reports.onWaits(key, on),
      conversation: (eventId, on) => reports.onConversation(eventId, on),
      deadLetter: (event, reason, file) => reports.onDeadLetter(event, reason, file),
      disposing: (at) => reports.onDisposing(at),
    },
  }
}

/** Reports a call's result to the recorder, if there is one. Returns the answer unchanged. */
function recordCall<T>(
  recorder: CallRecorder | undefined,
  made: Pick<MadeCall, 'eventId' | 'name' | 'input'>,
  answer: Promise<T>,
  clock: Clock,
): Promise<T> {
  if (!recorder || made.eventId === undefined) return answer
  const startedMs = clock.monotonic()
  const ms = () => clock.monotonic() - startedMs
  return answer.then(
    (value) => {
      recorder.called({ ...made, ms: ms(), value })
      return value
    },
    (error: unknown) => {
      recorder.called({ ...made, ms: ms(), error })
      throw error
    },
  )
}
