import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as OpenTelemetry from '@opentelemetry/api'
import { BotwrightError } from '@botwright/protocol/facts'
import type { SpanId } from '../../link/messages.ts'

export type Api = typeof OpenTelemetry

/** Runs a call of another thread so that the spans of its HTTP requests are children of the calling thread's span. */
export function runWithinSpan<T>(root: string, span: SpanId, run: () => T): T {
  const api = loadApi(root)
  return api.context.with(api.trace.setSpanContext(api.ROOT_CONTEXT, { ...span, isRemote: true }), run)
}

/** Loads the bot's own `@opentelemetry/api`, the copy that its SDK uses. Throws `ERR_CONFIG` if it is not installed. */
export function loadApi(root: string): Api {
  try {
    return createRequire(join(root, 'package.json'))('@opentelemetry/api') as Api
  } catch (error) {
    throw new BotwrightError(
      'ERR_CONFIG',
      'bot.config.ts: tracing requires OpenTelemetry: npm i @opentelemetry/api, and an SDK that is set up before the bot starts',
      { cause: error },
    )
  }
}
