import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span, Tracer } from '@opentelemetry/api'
import { type Delivery, type EventKey, eventKey } from '@botwright/events/event'
import type { Call } from '@botwright/rest'
import type { BotHost } from '../../bot/host.ts'
import type { Layer, LayeredCallOptions } from '../../bot/layer.ts'
import { type Api, loadApi } from './opentelemetry.ts'
import type { Outcome } from '../../link/ports.ts'
import { createRedactor, hiddenValues, hideTokenOf } from '../../link/redaction.ts'
import type { Disposal } from '../../bot/dispose/disposal.ts'
import { flushSpans } from './flush-spans.ts'

type Redact = (text: string) => string

/**
 * Traces a bot: each handler run is a span, with its calls as children. Loads `@opentelemetry/api` from the bot's own folder, the copy that its
 * SDK uses. Exports them last in the disposal of the bot. Throws `ERR_CONFIG` if it is not installed.
 */
export function tracingLayer(root: string, host: Pick<BotHost, 'env' | 'hiddenEnv'>, disposal?: Disposal): Layer {
  const api = loadApi(root)
  disposal?.add(() => flushSpans(root), 'tracing', 'the export of the last spans')
  const tracer = api.trace.getTracer('@botwright/framework')
  // Calls find the span of their handler even if the SDK has no context manager.
  const current = new AsyncLocalStorage<Span>()
  const open = new Map<EventKey, Span>()
  // Spans leave the process, so secrets are redacted as in the log.
  const redact = createRedactor(secretsOf(host))
  return {
    call: (call) => traced(call, { api, tracer, current, redact }),
    outcome: (outcome) => setResult(open.get(outcome.eventId), outcome, { api, redact }),
    handle: (handle, fileOf) => (delivery) => {
      const file = fileOf(delivery)
      if (file === undefined) return handle(delivery)
      hideTokenOf(delivery.event)
      const span = tracer.startSpan(file, { kind: api.SpanKind.CONSUMER, attributes: attributesOf(delivery, file) })
      open.set(eventKey(delivery.event), span)
      const end = () => {
        open.delete(eventKey(delivery.event))
        span.end()
      }
      const context = api.trace.setSpan(api.context.active(), span)
      const result = api.context.with(context, () => current.run(span, () => handle(delivery)))
      return result ? result.finally(end) : end()
    },
  }
}

/** The values that the log hides. A process that runs the bot's code in its own thread may have other variables. */
function secretsOf({ env = {}, hiddenEnv = [] }: Pick<BotHost, 'env' | 'hiddenEnv'>): string[] {
  const own = hiddenEnv.flatMap((name) => (typeof env[name] === 'string' ? [[name, env[name]] as const] : []))
  return hiddenValues(hiddenEnv, { ...process.env, ...Object.fromEntries(own) })
}

/** Ids and names, never message contents. */
const attributesOf = ({ event, attempt }: Delivery, file: string) => ({
  'botwright.event.id': event.id,
  'botwright.event.type': event.type,
  'botwright.handler.file': file,
  'botwright.attempt': attempt,
})

/** Sets the result on the span. Outcomes arrive before the promise of the run settles. */
function setResult(span: Span | undefined, { error }: Outcome, { api, redact }: { api: Api; redact: Redact }): void {
  if (!error) return
  span?.setAttribute('botwright.reference', error.reference)
  span?.setStatus({ code: api.SpanStatusCode.ERROR, message: redact(error.message) })
  span?.recordException(exceptionOf(error, redact))
}

/** An error as the event of a span, without secrets. The error of an outcome has no name, but its stack begins with it. */
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
  return (name, input, options) => {
    const parent = current.getStore()
    const context = parent ? api.trace.setSpan(api.context.active(), parent) : api.context.active()
    const span = tracer.startSpan(name, { kind: api.SpanKind.CLIENT }, context)
    // If the HTTP client is instrumented, its span becomes a child of this one, in this thread or in the supervisor's.
    const { traceId, spanId, traceFlags } = span.spanContext()
    const within: LayeredCallOptions = { ...options, span: { traceId, spanId, traceFlags } }
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
  }
}
