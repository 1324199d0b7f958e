import type { Clock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import type { StateStore } from '../ports.ts'

/** The options of `ctx.once`. */
export interface OnceOptions {
  /**
   * What to do if an earlier run was interrupted, so that its outcome is unknown: `'throw'` (default:
   * `ERR_UNKNOWN_OUTCOME`), or run it `'again'`.
   */
  unsure?: 'throw' | 'again'
}

/** Events are kept for one day (§6): nothing is redelivered after two. */
const RETENTION_MS = 2 * 24 * 60 * 60_000

type OnceRecord = { state: 'running' } | { state: 'done'; result?: unknown }

/**
 * Runs `work` unless an earlier run of the same event has done it; then returns that run's result. Work that throws counts as not
 * done. `id` identifies the event (or the task's run), `key` the work in it.
 */
export async function runOnce<T>(
  { store, clock }: { store: StateStore; clock: Clock },
  { id, key, unsure = 'throw' }: OnceOptions & { id: string; key: string },
  work: () => T | Promise<T>,
): Promise<T> {
  const name = `once:${id}:${key}`
  const expiresAtMs = clock.now() + RETENTION_MS
  const found = await store.get(name)
  if (found) {
    const earlier = found.value as OnceRecord
    if (earlier.state === 'done') return earlier.result as T
    if (unsure === 'throw')
      throw new BotwrightError(
        'ERR_UNKNOWN_OUTCOME',
        `once("${key}"): an earlier run of this event was interrupted here, so the work may or may not have been done; check first, or pass { unsure: 'again' }`,
      )
  }
  const begun = await store.set(name, { state: 'running' }, { expected: found?.version ?? 0, expiresAtMs })
  if (!begun) return runOnce({ store, clock }, { id, key, unsure }, work)
  let result: T
  try {
    result = await work()
  } catch (error) {
    await store.delete(name)
    throw error
  }
  try {
    await store.set(name, { state: 'done', result }, { expiresAtMs })
  } catch (error) {
    // The work is done, whatever its result.
    await store.set(name, { state: 'done' }, { expiresAtMs })
    throw error
  }
  return result
}
