import { type Clock, sleep } from '@botwright/clock'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { networkFix } from '@botwright/protocol/network-fix'
import { createCall, type RestOptions } from '@botwright/rest'
import type { Log } from '../../author/ports.ts'

/** The delays between attempts while the service does not respond. */
const RETRY_MS = [500, 1000, 2000, 4000, 8000]

/** Whether a later attempt may succeed: no response, a server error or a rate limit. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof BotwrightError)) return false
  const { status, endpoint, retryAfterSeconds } = error as {
    status?: unknown
    endpoint?: string
    retryAfterSeconds?: number
  }
  // Without Retry-After, waiting does not help a request that sends something (§7); any other request only reads.
  if (error.code === 'ERR_RATE_LIMITED') return retryAfterSeconds !== undefined || endpoint !== 'commands.replace'
  if (['ERR_NO_ANSWER', 'ERR_BAD_ANSWER'].includes(error.code)) return true
  return typeof status === 'number' && status >= 500
}

/** The options for waiting until the service is up. */
export interface RetryOptions {
  clock: Clock
  log: Log
  baseUrl: string
  signal: AbortSignal
  /** Called with the reason before each retry, and without one when the request has succeeded. */
  onRetry?: ((reason?: string) => void) | undefined
}

/**
 * Retries a request while the service does not respond or responds with a server error, and logs each retry.
 * Rejects with any other error, and with the signal's reason if startup is cancelled.
 */
export async function untilAnswered<T>(
  { clock, log, baseUrl, signal, onRetry }: RetryOptions,
  request: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    try {
      const answer = await request()
      onRetry?.()
      return answer
    } catch (error) {
      signal.throwIfAborted()
      if (!isTransient(error)) throw error
      const waitMs = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]!
      const { message } = error as Error
      onRetry?.(message)
      const fix = networkFix(message)
      const reason = fix === undefined ? message : `${message}; ${fix}`
      log.warn(
        { tries: tries + 1 },
        `${new URL(baseUrl).host} is not responding yet (${reason}); trying again in ${waitMs / 1000} s`,
      )
      await sleep(clock, waitMs, signal)
    }
  }
}

/**
 * Requests the bot's profile (§4, GET /me), and waits until the service is up. Closes its client afterwards: the client that sends
 * messages requires the message budget, which depends on the bot's id.
 * Rejects with `ERR_UNAUTHORIZED` if the token is rejected, `ERR_CONFIG` if the service refuses the request otherwise, and the
 * signal's reason if startup is cancelled.
 */
export async function whoAmI({ log, signal, onRetry, ...client }: RestOptions & RetryOptions): Promise<BotProfile> {
  const { baseUrl, clock } = client
  await using call = createCall(client)
  try {
    return await untilAnswered({ baseUrl, clock, log, signal, onRetry }, () => call('me.get', {}, { signal }))
  } catch (error) {
    const { host } = new URL(baseUrl)
    const { code, status } = error as { code?: unknown; status?: unknown }
    if (code === 'ERR_UNAUTHORIZED')
      throw new BotwrightError(
        'ERR_UNAUTHORIZED',
        `BOT_TOKEN is not accepted by ${host}: copy the token from the Developer screen again (creating a new one invalidates the old one)`,
        { cause: error },
      )
    if (code === 'ERR_FORBIDDEN' || code === 'ERR_REFUSED')
      throw new BotwrightError(
        'ERR_CONFIG',
        `${host} answered ${String(status)} to the request for the bot's profile: correct BOT_BASE_URL, which ends in /v1 (${(error as Error).message})`,
        { cause: error },
      )
    throw error
  }
}
