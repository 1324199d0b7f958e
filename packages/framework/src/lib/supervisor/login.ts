import { type Clock, sleep } from '@botwright/clock'
import type { BotProfile } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import type { Log } from '../ports.ts'

/** Waits between two tries while the service does not answer. */
const RETRY_MS = [500, 1000, 2000, 4000, 8000]

/** Trouble that passes: no answer, or one that says that the service is not well. */
function passes(error: unknown): boolean {
  if (!(error instanceof BotwrightError)) return false
  if (['ERR_NO_ANSWER', 'ERR_BAD_ANSWER', 'ERR_RATE_LIMITED'].includes(error.code)) return true
  const { status } = error as { status?: unknown }
  return typeof status === 'number' && status >= 500
}

/**
 * Asks the service who the bot is (§4, GET /me). A service that is not up yet is waited for, and that is said.
 * Throws `ERR_UNAUTHORIZED` when it does not accept the token, and the signal's reason when the start is given up.
 */
export async function whoAmI(options: {
  call: Call
  clock: Clock
  log: Log
  baseUrl: string
  signal: AbortSignal
}): Promise<BotProfile> {
  const { call, clock, log, baseUrl, signal } = options
  const { host } = new URL(baseUrl)
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    try {
      return await call('me.get', {}, { signal })
    } catch (error) {
      signal.throwIfAborted()
      const { code } = error as { code?: unknown }
      if (code === 'ERR_UNAUTHORIZED')
        throw new BotwrightError(
          'ERR_UNAUTHORIZED',
          `BOT_TOKEN is not accepted by ${host}: copy the token from the Developer screen again (a new one makes the old one invalid)`,
          { cause: error },
        )
      if (!passes(error)) throw error
      const waitMs = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]!
      log.warn(
        { tries: tries + 1 },
        `${host} does not answer yet (${(error as Error).message}); trying again in ${waitMs / 1000} s`,
      )
      await sleep(clock, waitMs, signal)
    }
  }
}
