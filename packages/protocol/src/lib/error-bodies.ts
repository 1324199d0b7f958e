import * as z from 'zod'

/** The error body of the bot interface (§7). */
export const ErrorBody = z.looseObject({ error: z.string() })

/** The error body of channel webhooks (§7). */
export const WebhookErrorBody = z.looseObject({
  message: z.string(),
  code: z.int(),
  retry_after: z.number().optional(),
})
