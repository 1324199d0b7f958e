import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span, Tracer } from '@opentelemetry/api'
import type { Delivery } from '@botwright/events/event'
import type { Call } from '@botwright/rest'
import { createRedactor, hiddenValues, hideTokenOf } from '../link/redaction.ts'
import type { Bot, BotHost } from './host.ts'
import type { Outcome } from '../link/ports.ts'
import type { TracedCallOptions } from './linked-services.ts'
import { type Api, loadApi } from '../link/opentelemetry.ts'

type Redact = (text: string) => string

/** A bot whose handlers' runs are spans, with the calls that they make as children. Made only when `tracing` is on. */
export interface Tracing {
  /** What the bot is loaded with. */
  host: BotHost
  /** The loaded bot, traced. */
  trace(bot: Bot): Bot
}

/**
 * Takes `@opentelemetry/api` from the bot's own folder, where its SDK finds it too.
 * Throws `ERR_CONFIG` when it is not installed.
 */
export function createTracing(root: string, host: BotHost): Tracing {
  const api = loadApi(root)
  const tracer = api.trace.getTracer('@botwright/framework')
  // Calls find their handler even where the SDK has no context manager.
  const current = new AsyncLocalStorage<Span>()
  const open = new Map<number, Span>()
  // Spans leave the process as the log does.
  const redact = createRedactor(hiddenValues(host.hiddenEnv, process.env))
  return {
    host: {
      ...host,
      call: traced(host.call, { api, tracer, current, redact }),
      observe: (outcome) => told(outcome, { host, open, api, redact }),
    },
    trace: (bot) => ({
      ...bot,
      handle(delivery) {
        const file = bot.handlerOf(delivery)
        if (file === undefined) return bot.handle(delivery)
        hideTokenOf(delivery.event)
        const span = tracer.startSpan(file, { kind: api.SpanKind.CONSUMER, attributes: attributesOf(delivery, file) })
        open.set(delivery.id, span)
        const end = () => {
          open.delete(delivery.id)
          span.end()
        }
        const context = api.trace.setSpan(api.context.active(), span)
        const result = api.context.with(context, () => current.run(span, () => bot.handle(delivery)))
        return result ? result.finally(end) : end()
      },
    }),
  }
}

/** Ids and names; never what people wrote. */
const attributesOf = ({ id, event, attempt }: Delivery, file: string) => ({
  'botwright.event.id': id,
  'botwright.event.type': event.type,
  'botwright.handler.file': file,
  'botwright.attempt': attempt,
})

/** The result of a run, known before its promise settles. */
function told(
  outcome: Outcome,
  { host, open, api, redact }: { host: BotHost; open: Map<number, Span>; api: Api; redact: Redact },
): void {
  if (outcome.error) {
    const span = open.get(outcome.eventId)
    span?.setAttribute('botwright.reference', outcome.error.reference)
    span?.setStatus({ code: api.SpanStatusCode.ERROR, message: redact(outcome.error.message) })
    span?.recordException(exceptionOf(outcome.error, redact))
  }
  host.observe?.(outcome)
}

/** An error as the event of a span holds it, without secrets. A failed run has no name; its stack begins with it. */
function exceptionOf({ name, message, stack }: Partial<Error> & { message: string }, redact: Redact) {
  return {
    name: name ?? /^[\w$]+(?=:)/.exec(stack ?? '')?.[0] ?? 'Error',
    message: redact(message),
    ...(stack !== undefined && { stack: redact(stack) }),
  }
}

function traced(
  call: Call,
  { api, tracer, current, redact }: { api: Api; tracer: Tracer; current: AsyncLocalStorage<Span>; redact: Redact },
): Call {
  return ((name: Parameters<Call>[0], input: never, options) => {
    const parent = current.getStore()
    const context = parent ? api.trace.setSpan(api.context.active(), parent) : api.context.active()
    const span = tracer.startSpan(name, { kind: api.SpanKind.CLIENT }, context)
    // Where the HTTP client is instrumented, its span becomes a child of this one: here, or behind the link to the supervisor's thread.
    const { traceId, spanId, traceFlags } = span.spanContext()
    const within: TracedCallOptions = { ...options, span: { traceId, spanId, traceFlags } }
    const made = api.context.with(api.trace.setSpan(context, span), () => call(name, input, within))
    return made.then(
      (value) => {
        span.end()
        return value
      },
      (error: Error & { code?: string; status?: number }) => {
        if (error.code !== undefined) span.setAttribute('error.type', error.code)
        if (error.status) span.setAttribute('http.response.status_code', error.status)
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: redact(error.message) })
        span.recordException(exceptionOf(error, redact))
        span.end()
        throw error
      },
    )
  }) as Call
}
