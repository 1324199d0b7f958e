import type { DatabaseError } from './database-error.ts'
import type { Database } from './open-database.ts'

/** A power failure can undo the commits of so long at most. */
const SYNC_EVERY_MS = 1000
/** After this time, the next commit itself waits for the disk, which is cheaper than a checkpoint. */
const FULL_AFTER_MS = 900

/** The clock of `CommitSync`. */
export interface SyncClock {
  monotonic(): number
  after(ms: number, fire: () => void): { cancel(): void }
}

/**
 * Chooses the commits that wait until they, and all before them, are on the disk. With synchronous=NORMAL alone, a power failure can lose
 * everything since the last checkpoint. The last commits before a pause have none after them: a checkpoint writes them to the disk.
 */
export class CommitSync {
  readonly #db: Database
  readonly #clock: SyncClock
  #syncedMs: number
  #isFull = false
  /** Runs while a commit may not be on the disk. */
  #timer: { cancel(): void } | undefined

  constructor(db: Database, clock: SyncClock) {
    this.#db = db
    this.#clock = clock
    this.#syncedMs = clock.monotonic()
  }

  /** To be called before each commit, outside of a transaction. `must`: this one must survive a power failure. */
  next(must = false): void {
    const now = this.#clock.monotonic()
    const isFull = must || now - this.#syncedMs >= FULL_AFTER_MS
    if (!isFull) this.#syncIn(this.#syncedMs + SYNC_EVERY_MS - now)
    if (isFull === this.#isFull) return
    this.#db.exec(`PRAGMA synchronous = ${isFull ? 'FULL' : 'NORMAL'}`)
    this.#isFull = isFull
  }

  /** To be called after each commit that has changed something: SQLite syncs no other. */
  changed(): void {
    if (this.#isFull) this.#synced()
  }

  /** To be called before the database is closed. */
  close(): void {
    this.#cancel()
  }

  #cancel(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #syncIn(ms: number): void {
    this.#timer ??= this.#clock.after(ms, () => this.#sync())
  }

  #sync(): void {
    this.#timer = undefined
    let isWhole = false
    try {
      const [found] = this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').all()
      // Not if a reader, or the checkpoint of another process, is in its way.
      isWhole = found!['busy'] === 0 && found!['checkpointed'] === found!['log']
    } catch (error) {
      // The next commit is a full one, and meets the same error.
      if ((error as DatabaseError).code === 'closed') return
    }
    if (isWhole) this.#synced()
    else this.#syncIn(SYNC_EVERY_MS)
  }

  #synced(): void {
    this.#cancel()
    this.#syncedMs = this.#clock.monotonic()
  }
}
