import type { Database, Value } from '@botwright/sqlite'

/** A statement that changes something. `returns`: it also returns rows. */
interface Change {
  sql: string
  parameters?: Value[]
  returns?: boolean
}

/** SQLite syncs its log when it has 1000 pages: about so many commits. */
const MOST_LOST = 250

/** The commits of a database so far, of which a power failure loses some. */
export class SimCommits {
  /** As `PRAGMA synchronous` of SQLite: each commit waits until it, and all before it, are on the disk. */
  isFull = false
  readonly #commits: Change[][] = []
  /** So many of the first ones survive. */
  #synced = 0
  #open: Change[] = []

  get count(): number {
    return this.#commits.length
  }

  /** How many commits a power failure loses at most. */
  get unsynced(): number {
    return Math.min(this.count - this.#synced, MOST_LOST)
  }

  /** Adds a change to the present transaction. */
  add(change: Change): void {
    this.#open.push(change)
  }

  /** The present transaction ends. */
  end(isCommitted = true): void {
    if (isCommitted && this.#open.length > 0) this.#commits.push(this.#open)
    this.#open = []
    if (this.isFull) this.sync()
  }

  sync(): void {
    this.#synced = this.count
  }

  lose(count: number): void {
    this.#commits.splice(this.count - count)
    this.sync()
    this.isFull = false
  }

  /** Makes all changes in another database. */
  replay(db: Database): void {
    for (const commit of this.#commits)
      db.transaction(() => {
        for (const { sql, parameters, returns } of commit)
          if (!parameters) db.exec(sql)
          else if (returns) db.prepare(sql).all(...parameters)
          else db.prepare(sql).run(...parameters)
      })
  }
}
