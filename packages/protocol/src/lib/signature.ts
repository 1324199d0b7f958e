import { createHmac, timingSafeEqual } from 'node:crypto'

/** The headers of an event webhook delivery (§4). */
export const eventWebhookHeaders = { bot: 'x-service-bot', signature: 'x-service-signature' } as const

const PREFIX = 'sha256='

/** The value of `X-Service-Signature`: the hex HMAC-SHA256 of the raw body, keyed with the secret (§4). */
export const signEventWebhook = (secret: string, rawBody: Uint8Array | string): string =>
  PREFIX + createHmac('sha256', secret).update(rawBody).digest('hex')

/** Whether a signature matches the raw body, compared in constant time. Accepts only lower-case hex, as the service sends it. */
export function verifyEventWebhook(secret: string, rawBody: Uint8Array, signature: string | undefined): boolean {
  if (secret === '') throw new Error('the webhook secret is empty; set BOT_WEBHOOK_SECRET')
  if (typeof signature !== 'string') return false
  const expected = Buffer.from(signEventWebhook(secret, rawBody))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
