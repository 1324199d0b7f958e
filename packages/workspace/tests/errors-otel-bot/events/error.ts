import { event } from '@botwright/framework'
import { SpanStatusCode, trace } from '@opentelemetry/api'

export default event('error', (ctx) => {
  const { kind, file = '', eventId = '' } = ctx.failure
  const span = trace.getTracer('bot').startSpan('failure', { attributes: { kind, file, eventId } })
  span.recordException(ctx.error)
  span.setStatus({ code: SpanStatusCode.ERROR, message: ctx.error.message })
  span.end()
})
