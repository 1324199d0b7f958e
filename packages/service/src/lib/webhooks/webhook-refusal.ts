import { type WebhookErrorBody, type WebhookErrorCode, webhookErrorCodes } from '@botwright/protocol'
import type { Context, Next } from 'hono'
import { Refusal } from '../refusal.ts'
import type { z } from 'zod'

/** The code of refusals that §7 does not number: wrong paths and methods, rates, faults of the service. */
const UNNUMBERED = 0

/** A refusal of a channel webhook, with its code (§7). */
class WebhookRefusal extends Refusal {
  readonly code: number
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, text: string, told: { code: number; retryAfterSeconds?: number }) {
    const { code, retryAfterSeconds } = told
    super(status, text, {
      headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) },
    })
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const refuseWebhook = (code: WebhookErrorCode, text: string): Refusal =>
  new WebhookRefusal(webhookErrorCodes[code].status, text, { code })

/** 429 with the wait in seconds, to the millisecond, in the body (§7), and in whole seconds in the header. */
export function slowWebhookDown(waitMs: number, text: string): Refusal {
  const retryAfterSeconds = Math.ceil(waitMs) / 1000
  return new WebhookRefusal(429, text, { code: UNNUMBERED, retryAfterSeconds })
}

/** Gives every refusal under a channel webhook's address the body `{message, code}` (§7), whoever refused. */
export async function inWebhookShape(context: Context, next: Next): Promise<void> {
  await next()
  const { res, error } = context
  if (res.status < 400) return
  const told = error instanceof WebhookRefusal ? error : undefined
  const { error: message } = (await res.json()) as { error: string }
  const body: z.input<typeof WebhookErrorBody> = {
    message,
    code: told?.code ?? (res.status === 400 ? BAD_FIELD : UNNUMBERED),
    ...(told?.retryAfterSeconds !== undefined && { retry_after: told.retryAfterSeconds, global: false }),
  }
  context.res = new Response(JSON.stringify(body), { status: res.status, headers: res.headers })
}

const BAD_FIELD: WebhookErrorCode = 50035
