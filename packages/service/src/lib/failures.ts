import type { Clock } from '@botwright/clock'
import { DatabaseError, type DatabaseErrorCode } from '@botwright/sqlite'
import type { Context } from 'hono'
import { Refusal } from './refusal.ts'
import { logFailure } from './log-failure.ts'

/** What a caller is told when the data file fails: whether it helps to ask again, and what to mend. Nothing of the call was written. */
const dataFailures: Partial<Record<DatabaseErrorCode, string>> = {
  closed: 'the service is closing',
  full: 'the disk of the service is full, nothing was written; free some space and try again',
  io: 'the data file of the service cannot be written now; try again',
  busy: 'another program holds the data file of the service; try again',
  readonly: 'the data file of the service is read-only',
}

/** How long the log keeps quiet about a failure that it has told: a full disk fails every call, and the log may lie on it too. */
const QUIET_MS = 10_000

/**
 * Runs what must not fail its caller: what follows a commit, whose call has succeeded, and what a timer starts, where a throw would end
 * the process. A failure is logged; `what` names it.
 */
export function runLogged(what: string, fn: () => void): void {
  try {
    fn()
  } catch (error) {
    logFailure(`service: ${what} failed:`, error)
  }
}

/** Every error becomes an answer with a body (§7); what the caller did not cause is written to the log. */
export function answerErrors(clock: Clock): (error: Error, context: Context) => Response {
  const toldAt = new Map<string, number>()
  return (error, context) => {
    if (error instanceof Refusal) return context.json({ error: error.message }, error.status as 400, error.headers)
    const code = error instanceof DatabaseError ? error.code : undefined
    const known = code && dataFailures[code]
    if (known === undefined) {
      logFailure(`${context.req.method} ${context.req.routePath}:`, error)
      return context.json({ error: 'the service failed; its log says why' }, 500)
    }
    const now = clock.monotonic()
    if (code !== 'closed' && now >= (toldAt.get(known) ?? -Infinity) + QUIET_MS) {
      toldAt.set(known, now)
      logFailure(`service: ${error.message}: ${known}`)
    }
    return context.json({ error: known }, 503)
  }
}
