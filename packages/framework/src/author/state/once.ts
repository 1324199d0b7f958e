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

/** Events are kept for one day (§6): nothing is redelivered after two. */
const RETENTION_MS = 2 * 24 * 60 * 60_000

/** `lost`: why a done work has no stored result. */
type OnceRecord = { state: 'running' } | { state: 'done'; result?: unknown; lost?: string }

/**
 * Runs `work` unless an earlier run of the same event has done it; then returns that run's result. Work that throws is not
 * done, unless by `ERR_UNKNOWN_OUTCOME` or `ERR_STATE`. `id` identifies the event or the task's run, `key` the work in it.
 */
export async function runOnce<T>(
  { store, clock, log }: { store: StateStore; clock: Clock; log: Pick<Log, 'warn'> },
  { id, key, unsure = 'throw' }: OnceOptions & { id: string; key: string },
  work: () => T | Promise<T>,
): Promise<T> {
  const name = `once:${id}:${key}`
  const expiresAtMs = clock.now() + RETENTION_MS
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
        `once("${key}"): an earlier run of this event was interrupted here, or had no response, so the work may or may not have been done; check first, or pass { unsure: 'again' }`,
      )
  }
  const begun = await store.set(name, { state: 'running' }, { expected: found?.version ?? 0, expiresAtMs })
  if (!begun) return runOnce({ store, clock, log }, { id, key, unsure }, work)
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
    // It stays unknown, such as that of a message, or of a write to the store, without a response.
    if (!hasCode(error, 'ERR_UNKNOWN_OUTCOME', 'ERR_STATE')) await store.delete(name).catch(notStored)
    throw error
  }
  try {
    if (result !== undefined) checkPlain(result, `once("${key}")`, 'return plain data')
    await store.set(name, { state: 'done', result } satisfies OnceRecord, { expiresAtMs })
  } catch (error) {
    // The work is done, whatever its result.
    const done: OnceRecord = { state: 'done', lost: (error as Error).message }
    await store.set(name, done, { expiresAtMs }).catch(notStored)
    throw error
  }
  return result
}
