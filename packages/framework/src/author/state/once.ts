import type { Clock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import { hasCode } from '../error-code.ts'
import type { Log, StateStore } from '../ports.ts'
import { checkPlain } from './plain-data.ts'

/** The options of `ctx.once`. */
export interface OnceOptions {
  /** If an earlier run's outcome is unknown: `'throw'` `ERR_UNKNOWN_OUTCOME` (default), or run it `'again'`. */
  unsure?: 'throw' | 'again'
}

// A bot that was stopped for days repeats tasks and requests, and events that were set aside are replayed days later.
export const RETENTION_MS = 14 * 24 * 60 * 60_000

/** `lost`: why a done work has no stored result. */
type OnceRecord = { state: 'running' } | { state: 'done'; result?: unknown; lost?: string }

// Runs `work` unless an earlier run of the same event has done it; then returns that run's result. Work that throws is not done, unless
// its outcome is unknown. `id` identifies the event or the task's run, `key` the work in it. `forMs`: how long the result is stored.
export async function runOnce<T>(
  { store, clock, log }: { store: StateStore; clock: Clock; log: Pick<Log, 'warn'> },
  { id, key, unsure = 'throw', forMs = RETENTION_MS }: OnceOptions & { id: string; key: string; forMs?: number },
  work: () => T | Promise<T>,
): Promise<T> {
  const name = `once:${id}:${key}`
  const expiresAtMs = clock.now() + forMs
  const found = await store.get(name)
  if (found) {
    const earlier = found.value as OnceRecord
    if (earlier.state === 'done') {
      if (earlier.lost === undefined) return earlier.result as T
      const fact = `an earlier run did this work, but its result could not be stored`
      throw new BotwrightError('ERR_INVALID_REQUEST', `once("${key}"): ${fact} (${earlier.lost})`)
    }
    if (unsure === 'throw')
      throw new BotwrightError(
        'ERR_UNKNOWN_OUTCOME',
        `once("${key}"): an earlier run of this event was interrupted here, or a call of it had no response, so the work may or may not have been done; check first, or pass { unsure: 'again' }`,
      )
  }
  const begun = await store.set(name, { state: 'running' }, { expected: found?.version ?? 0, expiresAtMs })
  if (!begun) return runOnce({ store, clock, log }, { id, key, unsure, forMs }, work)
  // The error before it is the one to report.
  const notStored = (error: Error) =>
    log.warn(
      { error },
      `once("${key}"): its end could not be stored (${error.message}): if it runs again, its outcome is unknown`,
    )
  let result: T
  try {
    result = await work()
  } catch (error) {
    // The outcome of a call without a response, or that was aborted, stays unknown.
    if (!hasCode(error, 'ERR_UNKNOWN_OUTCOME', 'ERR_STATE', 'ERR_ABORTED', 'ERR_HANDLER_TIMEOUT'))
      await store.delete(name).catch(notStored)
    throw error
  }
  try {
    if (result !== undefined) checkPlain(result, `once("${key}")`, 'return plain data')
    await store.set(name, { state: 'done', result } satisfies OnceRecord, { expiresAtMs })
  } catch (error) {
    const done: OnceRecord = { state: 'done', lost: (error as Error).message }
    await store.set(name, done, { expiresAtMs }).catch(notStored)
    throw error
  }
  return result
}
