import { type Clock, sleep } from '@botwright/clock'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { createCall, type RestOptions } from '@botwright/rest'
import type { Log } from '../../author/ports.ts'

/** Waits between two tries while the service does not answer. */
const RETRY_MS = [500, 1000, 2000, 4000, 8000]

/** Trouble that passes: no answer, or one that says that the service is not well. */
function passes(error: unknown): boolean {
  if (!(error instanceof BotwrightError)) return false
  const { status, endpoint, retryAfterSeconds } = error as {
    status?: unknown
    endpoint?: string
    retryAfterSeconds?: number
  }
  // Without Retry-After waiting does not help what was sent (§7); a question sends nothing.
  if (error.code === 'ERR_RATE_LIMITED') return retryAfterSeconds !== undefined || endpoint !== 'commands.replace'
  if (['ERR_NO_ANSWER', 'ERR_BAD_ANSWER'].includes(error.code)) return true
  return typeof status === 'number' && status >= 500
}

/** What it takes to wait for a service that is not up yet. */
export interface Asking {
  clock: Clock
  log: Log
  baseUrl: string
  signal: AbortSignal
}

/**
 * Tries again for as long as the service does not answer, or answers that it is not well; that is said each time.
 * Throws what is no such trouble, and the signal's reason when the start is given up.
 */
export async function untilAnswered<T>({ clock, log, baseUrl, signal }: Asking, ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      if (!passes(error)) throw error
      const waitMs = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]!
      log.warn(
        { tries: tries + 1 },
        `${new URL(baseUrl).host} is not responding yet (${(error as Error).message}); trying again in ${waitMs / 1000} s`,
      )
      await sleep(clock, waitMs, signal)
    }
  }
}

/**
 * Asks the service who the bot is (§4, GET /me), and waits for a service that is not up yet. Its client is closed afterwards: the
 * one that sends messages needs the message budget, which belongs to the bot that this names.
 * Throws `ERR_UNAUTHORIZED` when it does not accept the token, `ERR_CONFIG` when it knows no such call, and the signal's reason when
 * the start is given up.
 */
export async function whoAmI({ log, signal, ...client }: RestOptions & Asking): Promise<BotProfile> {
  const { baseUrl, clock } = client
  await using call = createCall(client)
  try {
    return await untilAnswered({ baseUrl, clock, log, signal }, () => call('me.get', {}, { signal }))
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
