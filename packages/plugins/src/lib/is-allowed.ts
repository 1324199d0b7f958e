import { BotwrightError, type Context } from '@botwright/framework'

/**
 * Runs work that the settings of a server or of a person may forbid. If the service refuses it, logs `refusal` with the reason, and
 * returns false. Rejects with every other error.
 */
export async function isAllowed(ctx: Context, refusal: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof BotwrightError) || !isRefusal(error)) throw error
    ctx.log.warn({ event: ctx.event, reason: error.message }, refusal)
    return false
  }
}

/** Whether another attempt would have the same result. Without `retryAfterSeconds`, it is the same message twice (§7). */
const isRefusal = ({ code, retryAfterSeconds }: BotwrightError & { retryAfterSeconds?: number }): boolean =>
  ['ERR_FORBIDDEN', 'ERR_REFUSED'].includes(code) || (code === 'ERR_RATE_LIMITED' && retryAfterSeconds === undefined)
