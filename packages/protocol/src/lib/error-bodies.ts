import { z } from 'zod'

/** The body of every refusal of the bot interface (§7). */
export const ErrorBody = z.looseObject({ error: z.string() })

/** The body of every refusal of a channel webhook (§7). */
export const WebhookErrorBody = z.looseObject({
  message: z.string(),
  code: z.int(),
  retry_after: z.number().optional(),
})
