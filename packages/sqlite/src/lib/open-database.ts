import { resolve } from 'node:path'
import { DatabaseError, toDatabaseError } from './database-error.ts'
import { availableDrivers, type DriverName, openDriver } from './drivers.ts'
import { keepPrivate } from './private-files.ts'
import { type Row, type RunResult, type Statement, toStatement } from './statement.ts'

/** How a database is opened. */
export interface OpenOptions {
  /** Refuses every write; the file must exist. Default false. */
  readOnly?: boolean
  /** How long a statement waits for another process's lock before it fails with `busy`. Default 2000. */
  busyTimeoutMs?: number
  /** Default: `node:sqlite` from Node 24 on, else libsql. */
  driver?: DriverName
  /** `none`: one file that never has others beside it, and whose writes wait for no disk: for locks. Default `wal`. */
  journal?: 'wal' | 'none'
}

/** An open SQLite database. Everything is synchronous, and every failure is a `DatabaseError`. */
export interface Database {
  readonly driver: DriverName
  /** Runs one or more statements without parameters. */
  exec(sql: string): void
  prepare<R = Row>(sql: string): Statement<R>
  /**
   * Runs `fn` inside BEGIN IMMEDIATE and COMMIT, and rolls back when it throws. Within another transaction: a savepoint.
   * `fn` must be synchronous: one that returns a promise is rolled back and refused.
   */
  transaction<T>(fn: () => T): T
  /** Closes the file; closing twice does nothing. */
  close(): void
  [Symbol.dispose](): void
}

/**
 * Opens `path` (made when missing) or a private database in memory. Only its owner may read the file. Files use WAL with synchronous=NORMAL, and foreign keys are on.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  const {
    readOnly = false,
    busyTimeoutMs = 2000,
    driver = availableDrivers()[0] ?? 'libsql',
    journal = 'wal',
  } = options
  const inMemory = path === ':memory:'
  if (!inMemory && !readOnly) keepPrivate(resolve(path))
  const raw = openDriver(driver, inMemory ? path : resolve(path), readOnly && !inMemory)
  let open = true
  let depth = 0

  const checkOpen = () => {
    if (!open) throw new DatabaseError('closed', `${path}: the database is closed`)
  }
  const exec = (sql: string): void => {
    checkOpen()
    try {
      raw.exec(sql)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
  const prepareRaw = (sql: string) => {
    checkOpen()
    try {
      return raw.prepare(sql)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
  const counts = (): RunResult => {
    const row = prepareRaw('SELECT changes() AS changes, last_insert_rowid() AS id').all()[0] as Record<string, number>
    return { changes: Number(row['changes']), lastInsertRowid: Number(row['id']) }
  }
  /** For what is done on the way out: the error that led there is the one to report. */
  const tryExec = (sql: string): void => {
    try {
      raw.exec(sql)
    } catch {
      // ROLLBACK fails when SQLite has rolled back by itself (disk full, I/O error); a checkpoint, on a file that is no database.
    }
  }
  const close = (): void => {
    if (!open) return
    open = false
    // libsql keeps the file open until its statements are collected: without this, the newest data would stay in the log beside it.
    if (driver === 'libsql' && journal === 'wal' && !inMemory && !readOnly) tryExec('PRAGMA wal_checkpoint(TRUNCATE)')
    raw.close()
  }

  const database: Database = {
    driver,
    exec,
    prepare: <R>(sql: string) => toStatement<R>(driver, prepareRaw(sql), checkOpen, counts),
    transaction(fn) {
      const name = `nested_${depth}`
      const [begin, commit, rollback] =
        depth === 0
          ? ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
          : [`SAVEPOINT ${name}`, `RELEASE ${name}`, `ROLLBACK TO ${name}; RELEASE ${name}`]
      exec(begin)
      depth++
      try {
        const result = fn()
        if (result instanceof Promise) {
          result.catch(() => {}) // refused below, with a better reason than its own
          throw new TypeError('a transaction must be synchronous, but its function returned a promise')
        }
        exec(commit)
        return result
      } catch (error) {
        tryExec(rollback)
        throw error
      } finally {
        depth--
      }
    },
    close,
    [Symbol.dispose]: close,
  }

  try {
    exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}; PRAGMA foreign_keys = ON`)
    if (journal === 'none') exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF')
    else if (!inMemory && !readOnly) {
      database.prepare('PRAGMA journal_mode = WAL').all()
      exec('PRAGMA synchronous = NORMAL')
    }
    // Only reading shows whether the file is a database at all.
    database.prepare('SELECT count(*) AS tables FROM sqlite_master').all()
  } catch (error) {
    close()
    const reason = toDatabaseError(error)
    throw new DatabaseError(reason.code, `${path}: cannot be used as a database: ${reason.message}`, { cause: error })
  }
  return database
}
