import { resolve } from 'node:path'
import { DatabaseError, toDatabaseError } from './database-error.ts'
import { defaultDriver, type DriverName, openDriver, type RawDatabase } from './drivers.ts'
import { createPrivate, restrictDatabase } from './private-files.ts'
import { type Row, type RunResult, type Statement, toStatement } from './statement.ts'

/** Options of `openDatabase`. */
export interface OpenOptions {
  /** Rejects every write; the file must exist. Default: false. */
  readOnly?: boolean
  /** How long a statement waits for another process's lock before it fails with `busy`. Default: 2000. */
  busyTimeoutMs?: number
  /** Default: `node:sqlite` on Node 24 and later, otherwise libsql if it can be loaded. */
  driver?: DriverName
  /** `none`: a single file without a log beside it, whose writes do not wait for the disk; use it for locks. Default: `wal`. */
  journal?: 'wal' | 'none'
}

/** An open SQLite database. Everything is synchronous, and every failure is a `DatabaseError`. */
export interface Database {
  readonly driver: DriverName
  /** Runs one or more statements without parameters. */
  exec(sql: string): void
  prepare<R = Row>(sql: string): Statement<R>
  /**
   * Runs `fn` inside BEGIN IMMEDIATE and COMMIT, and rolls back when it throws. Nested transactions are savepoints. If an error inside a
   * savepoint makes SQLite roll back everything, every later statement of the outermost transaction fails with this error, and so does its commit.
   * `fn` must be synchronous: if it returns a promise, the transaction is rolled back and throws.
   */
  transaction<T>(fn: () => T): T
  /** Closes the file; closing twice does nothing. */
  close(): void
  [Symbol.dispose](): void
}

/**
 * Opens `path`, which is created if missing, or a private database in memory. Only the file's owner may read it. Files use WAL with synchronous=NORMAL, and foreign keys are on.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  const { readOnly = false, busyTimeoutMs = 2000, journal = 'wal' } = options
  const { driver = defaultDriver() } = options
  const inMemory = path === ':memory:'
  const isWritten = !inMemory && !readOnly
  if (isWritten) createPrivate(resolve(path))
  const raw = openDriver(driver, inMemory ? path : resolve(path), readOnly && !inMemory)
  const database = new OpenDatabase(path, driver, raw, isWritten && journal === 'wal')
  try {
    database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}; PRAGMA foreign_keys = ON`)
    if (journal === 'none') database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF')
    else if (isWritten) {
      database.prepare('PRAGMA journal_mode = WAL').all()
      database.exec('PRAGMA synchronous = NORMAL')
    }
    // Only reading shows whether the file is a database at all.
    database.prepare('SELECT count(*) AS tables FROM sqlite_master').all()
    if (isWritten) restrictDatabase(resolve(path))
  } catch (error) {
    database.close()
    const reason = toDatabaseError(error)
    throw new DatabaseError(reason.code, `${path}: cannot be used as a database: ${reason.message}`, { cause: error })
  }
  return database
}

class OpenDatabase implements Database {
  readonly driver: DriverName
  readonly #path: string
  readonly #raw: RawDatabase
  readonly #hasLog: boolean
  #open = true
  #depth = 0
  /** The error after which SQLite rolled back a whole transaction, until the transaction ends: further statements would commit by themselves. */
  #lost: DatabaseError | undefined

  constructor(path: string, driver: DriverName, raw: RawDatabase, hasLog: boolean) {
    this.#path = path
    this.driver = driver
    this.#raw = raw
    this.#hasLog = hasLog
  }

  exec(sql: string): void {
    this.#checkOpen()
    try {
      this.#raw.exec(sql)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  prepare<R>(sql: string): Statement<R> {
    return toStatement<R>(
      this.driver,
      this.#prepareRaw(sql),
      () => this.#checkOpen(),
      () => this.#counts(),
    )
  }

  transaction<T>(fn: () => T): T {
    const name = `nested_${this.#depth}`
    const [begin, commit, rollback] =
      this.#depth === 0
        ? ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
        : [`SAVEPOINT ${name}`, `RELEASE ${name}`, `ROLLBACK TO ${name}; RELEASE ${name}`]
    this.exec(begin)
    this.#depth++
    try {
      const result = fn()
      if (result instanceof Promise) {
        result.catch(() => {}) // rejected below with a clearer error
        throw new TypeError('a transaction must be synchronous, but its function returned a promise')
      }
      this.exec(commit)
      return result
    } catch (error) {
      if (!this.#tryExec(rollback)) this.#lost ??= toDatabaseError(error)
      throw error
    } finally {
      if (--this.#depth === 0) this.#lost = undefined
    }
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    // libsql keeps the file open until its statements are garbage-collected: without this, the newest data would stay in the log.
    if (this.driver === 'libsql' && this.#hasLog) this.#tryExec('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#raw.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #checkOpen(): void {
    if (this.#lost) throw this.#lost
    if (!this.#open) throw new DatabaseError('closed', `${this.#path}: the database is closed`)
  }

  #prepareRaw(sql: string) {
    this.#checkOpen()
    try {
      return this.#raw.prepare(sql)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  #counts(): RunResult {
    const [row] = this.#prepareRaw('SELECT changes() AS changes, last_insert_rowid() AS id').all()
    const { changes, id } = row as Record<string, number>
    return { changes: Number(changes), lastInsertRowid: Number(id) }
  }

  /** For cleanup after an error: the original error is the one to report. */
  #tryExec(sql: string): boolean {
    try {
      this.#raw.exec(sql)
      return true
    } catch {
      // ROLLBACK fails if SQLite has already rolled back (disk full, I/O error). A checkpoint fails if the file is not a database.
      return false
    }
  }
}
