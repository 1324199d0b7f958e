import { type WebhookErrorBody, type WebhookErrorCode, webhookErrorCodes } from '@botwright/protocol'
import type { Context, Next } from 'hono'
import { Refusal } from '../refusal.ts'
import type * as z from 'zod'

/** The code for errors without a code in §7: wrong paths and methods, rate limits, failures of the service. */
const UNNUMBERED = 0

/** An error of a channel webhook, with its code (§7). */
class WebhookRefusal extends Refusal {
  readonly code: number
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, text: string, details: { code: number; retryAfterSeconds?: number }) {
    const { code, retryAfterSeconds } = details
    super(status, text, {
      headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) },
    })
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const refuseWebhook = (code: WebhookErrorCode, text: string): Refusal =>
  new WebhookRefusal(webhookErrorCodes[code].status, text, { code })

/** A 429 with the wait in seconds: with milliseconds in the body (§7), in whole seconds in the header. */
export function slowWebhookDown(waitMs: number, text: string): Refusal {
  const retryAfterSeconds = Math.ceil(waitMs) / 1000
  return new WebhookRefusal(429, text, { code: UNNUMBERED, retryAfterSeconds })
}

/** Middleware that gives every error under the URLs of channel webhooks the body `{message, code}` (§7). */
export async function inWebhookShape(context: Context, next: Next): Promise<void> {
  await next()
  const { res, error } = context
  if (res.status < 400) return
  const refusal = error instanceof WebhookRefusal ? error : undefined
  const { error: message } = (await res.json()) as { error: string }
  const body: z.input<typeof WebhookErrorBody> = {
    message,
    code: refusal?.code ?? (res.status === 400 ? BAD_FIELD : UNNUMBERED),
    ...(refusal?.retryAfterSeconds !== undefined && { retry_after: refusal.retryAfterSeconds, global: false }),
  }
  context.res = new Response(JSON.stringify(body), { status: res.status, headers: res.headers })
}

const BAD_FIELD: WebhookErrorCode = 50035
