import type { Database } from './open-database.ts'

/** A power failure can undo the commits of so long at most. */
const SYNC_EVERY_MS = 1000

/**
 * Chooses the commits that wait until they, and all before them, are on the disk. With synchronous=NORMAL alone, a power failure can lose
 * everything since the last checkpoint.
 */
export class CommitSync {
  readonly #db: Database
  #syncedMs: number
  #isFull = false

  /** `nowMs`: a monotonic time, as all others. */
  constructor(db: Database, nowMs: number) {
    this.#db = db
    this.#syncedMs = nowMs
  }

  /** To be called before each commit, outside of a transaction. `must`: this one must survive a power failure. */
  next(nowMs: number, must = false): void {
    const isFull = must || nowMs - this.#syncedMs >= SYNC_EVERY_MS
    if (isFull) this.#syncedMs = nowMs
    if (isFull === this.#isFull) return
    this.#db.exec(`PRAGMA synchronous = ${isFull ? 'FULL' : 'NORMAL'}`)
    this.#isFull = isFull
  }
}
