import type { Clock } from '@botwright/clock'
import { DatabaseError, type DatabaseErrorCode } from '@botwright/sqlite'
import type { Context } from 'hono'
import { Refusal } from './refusal.ts'
import { logFailure } from './log-failure.ts'

/** Error texts for failures of the data file: whether to retry, and what to fix. Nothing of the call was written. */
const dataFailures: Partial<Record<DatabaseErrorCode, string>> = {
  closed: 'the service is closing',
  full: 'the disk of the service is full and nothing was written; free some space and try again',
  io: 'the data file of the service cannot be written right now; try again',
  busy: 'another program has locked the data file of the service; try again',
  readonly: 'the data file of the service is read-only',
}

/** How long a repeated failure is not logged again: a full disk fails every call, and the log may be on the same disk. */
const QUIET_MS = 10_000

/**
 * Runs a function whose errors must not reach the caller: callbacks after a commit, whose call has succeeded, and timers, where an
 * error would end the process. Logs the error; `what` names the function.
 */
export function runLogged(what: string, fn: () => void): void {
  try {
    fn()
  } catch (error) {
    logFailure(`service: ${what} failed:`, error)
  }
}

/** Turns every error into a response with a body (§7); logs errors that the caller did not cause. */
export function answerErrors(clock: Clock): (error: Error, context: Context) => Response {
  const loggedAt = new Map<string, number>()
  return (error, context) => {
    if (error instanceof Refusal) return context.json({ error: error.message }, error.status as 400, error.headers)
    const code = error instanceof DatabaseError ? error.code : undefined
    const known = code && dataFailures[code]
    if (known === undefined) {
      logFailure(`${context.req.method} ${context.req.routePath}:`, error)
      return context.json({ error: 'the service failed; see its log for the cause' }, 500)
    }
    const now = clock.monotonic()
    if (code !== 'closed' && now >= (loggedAt.get(known) ?? -Infinity) + QUIET_MS) {
      loggedAt.set(known, now)
      logFailure(`service: ${error.message}: ${known}`)
    }
    return context.json({ error: known }, 503)
  }
}
