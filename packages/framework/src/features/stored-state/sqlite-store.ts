import { dirname } from 'node:path'
import { type Clock, elapsedOf } from '@botwright/clock'
import { BotwrightError, wellFormed } from '@botwright/protocol/facts'
import {
  CommitSync,
  type Database,
  DatabaseError,
  makePrivateFolder,
  migrate,
  moveAside,
  openDatabase,
  type Statement,
} from '@botwright/sqlite'
import type { Log, StateStore, Stored } from '../../author/ports.ts'
import { afterPrefix, readKey, writeValue } from '../../author/state/store-text.ts'

const migrations = [
  `CREATE TABLE value (bot TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL,
     expires_at_ms INTEGER, PRIMARY KEY (bot, key)) WITHOUT ROWID;
   CREATE INDEX value_expires ON value (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
   CREATE TABLE counter (last INTEGER NOT NULL);
   INSERT INTO counter VALUES (0);`,
]

/** Marks the file as a bot's state ("Bots"), so that another program's database is not mistaken for an empty one. */
export const APPLICATION_ID = 0x426f7473
/** Expired values are deleted this often, by the next write, and for the first time so long after the first write. */
const CLEAN_MS = 10 * 60_000
/** A power failure may undo the last second of these. All other rows promise that something happens, or happens once. */
const undoable = /^(state|cooldown|handled):/
/** A power failure may also undo the deletes of these. A durable run that comes back does nothing without another row, such as a timer. */
const undoableDelete = /^(state|cooldown|handled|run):/

type Value = { value: string; version: number; expires_at_ms: number | null }

export interface SqliteStoreOptions {
  /** Created if missing, with its folder. `:memory:` stores nothing on disk. */
  file: string
  /** Several bots can share a file. */
  botId: string
  clock: Clock
  log: Log
  /** Limits the file to this many pages of 4096 bytes, to simulate a full disk. */
  maxPages?: number
  openDatabase?: typeof openDatabase | undefined
}

/**
 * Stores a bot's values in an SQLite file, opened at the first use. A damaged file is logged, moved aside and replaced by a new one.
 * The calls that found the damage still fail, so that their callers do not mistake a damaged file for an empty one.
 */
export class SqliteStore implements StateStore, Disposable {
  readonly #options: SqliteStoreOptions
  #open: ReturnType<typeof prepare> | undefined
  #closed = false
  #writes: Write[] = []
  /** When expired values were last looked for: by the clock of the host, and by the time that passes. */
  #looked: { nowMs: number; passedMs: number } | undefined

  constructor(options: SqliteStoreOptions) {
    this.#options = options
  }

  async get(key: string): Promise<Stored | undefined> {
    const name = readKey(key)
    return this.#use(({ get }) => {
      const row = get.get(this.#options.botId, name, this.#options.clock.now())
      return row && toStored(row)
    })
  }

  async set(key: string, value: unknown, options: { expected?: number; expiresAtMs?: number } = {}): Promise<boolean> {
    const { expected, expiresAtMs } = options
    const name = readKey(key)
    const text = writeValue(name, value)
    const { botId, clock } = this.#options
    return this.#write(!undoable.test(name), ({ version, count, put, clean }) => {
      this.#clean(clean)
      const now = clock.now()
      if (expected !== undefined && expected !== (version.get(botId, name, now)?.version ?? 0)) return false
      put.run(botId, name, text, count.get()!.last, expiresAtMs === undefined ? null : Math.trunc(expiresAtMs))
      return true
    })
  }

  async delete(key: string, { expected }: { expected?: number } = {}): Promise<boolean> {
    const name = readKey(key)
    const { botId, clock } = this.#options
    return this.#write(!undoableDelete.test(name), ({ remove }) => {
      const version = expected ?? null
      return remove.run(botId, name, clock.now(), version, version).changes > 0
    })
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}): Promise<({ key: string } & Stored)[]> {
    const { after, limit = Infinity } = options
    const start = wellFormed(prefix)
    const { botId, clock } = this.#options
    return this.#use(({ list }) => {
      const end = afterPrefix(start) ?? null
      const rows = list.all(
        botId,
        start,
        after === undefined ? null : wellFormed(after),
        end,
        end,
        clock.now(),
        // SQLite takes only whole numbers.
        Math.ceil(Math.min(Math.max(0, limit), Number.MAX_SAFE_INTEGER)),
      )
      return rows.map((row) => ({ key: row.key, ...toStored(row) }))
    })
  }

  /** Closes the file; every later call fails. */
  close(): void {
    this.#commit()
    this.#closed = true
    this.#closeFile()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** Values of other bots in the file do not expire by a clock that is moved, and none by one that is ahead for a moment. */
  #clean(clean: Statement): void {
    const clock = elapsedOf(this.#options.clock)
    const [nowMs, passedMs] = [clock.now(), clock.monotonic()]
    const former = this.#looked
    const sinceMs = passedMs - (former?.passedMs ?? -Infinity)
    if (sinceMs < CLEAN_MS) return
    this.#looked = { nowMs, passedMs }
    if (former) clean.run(Math.min(nowMs, former.nowMs + sinceMs))
  }

  /** Adds a write to the next commit: those of one turn, such as the steps of many durable runs, share one. */
  #write(mustStay: boolean, work: Write['work']): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ work, mustStay, resolve, reject })
      if (this.#writes.length === 1) queueMicrotask(() => this.#commit())
    })
  }

  /** Returns the error if the file is damaged. */
  #commit(): Error | undefined {
    const writes = this.#writes
    if (writes.length === 0) return undefined
    this.#writes = []
    try {
      const mustStay = writes.some((one) => one.mustStay)
      const done = this.#run((open) => {
        open.sync.next(mustStay)
        const results = open.db.transaction(() => writes.map(({ work }) => work(open)))
        if (results.includes(true)) open.sync.changed()
        return results
      })
      for (const [at, { resolve }] of writes.entries()) resolve(done[at]!)
    } catch (error) {
      const { cause } = error as { cause?: unknown }
      const code = cause instanceof DatabaseError ? cause.code : undefined
      if (code !== 'full' || writes.length === 1) {
        for (const { reject } of writes) reject(error)
        return code === 'corrupt' ? (error as Error) : undefined
      }
      // One of them may be too large for the rest of the disk.
      for (const write of writes) {
        this.#writes = [write]
        this.#commit()
      }
    }
    return undefined
  }

  /** Reads what was written before. */
  #use<T>(work: (statements: ReturnType<typeof prepare>) => T): T {
    const damage = this.#commit()
    if (damage) throw damage
    return this.#run(work)
  }

  #run<T>(work: (statements: ReturnType<typeof prepare>) => T): T {
    const { file } = this.#options
    if (this.#closed) throw failed(file, 'it is closed: the bot has stopped')
    try {
      return work((this.#open ??= this.#openFile()))
    } catch (error) {
      if (error instanceof SyntaxError) throw failed(file, 'a value in it is damaged and cannot be read', error)
      if (!(error instanceof DatabaseError)) throw error
      const damage = error.code === 'corrupt' ? this.#setAside(error) : undefined
      throw failed(file, damage ?? reasons[error.code] ?? error.message, error)
    }
  }

  #openFile(): ReturnType<typeof prepare> {
    const { file, maxPages, openDatabase: open = openDatabase } = this.#options
    try {
      if (file !== ':memory:') makePrivateFolder(dirname(file))
    } catch (error) {
      throw new DatabaseError('open', (error as Error).message, { cause: error })
    }
    const db = open(file)
    try {
      const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
      if (number('PRAGMA application_id') !== APPLICATION_ID) {
        if (number('SELECT count(*) FROM sqlite_master') > 0)
          throw new DatabaseError('corrupt', 'it is the database of another program')
        db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
      }
      migrate(db, migrations)
      if (maxPages !== undefined) db.prepare(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`).all()
      return prepare(db, new CommitSync(db, this.#options.clock))
    } catch (error) {
      db.close()
      // Missing tables cause plain SQL errors.
      if (error instanceof DatabaseError && error.code === 'error')
        throw new DatabaseError('corrupt', error.message, { cause: error })
      throw error
    }
  }

  #closeFile(): void {
    this.#open?.sync.close()
    this.#open?.db.close()
    this.#open = undefined
  }

  #setAside(error: DatabaseError): string | undefined {
    const { file, log, clock } = this.#options
    this.#closeFile()
    if (file === ':memory:') return undefined
    const movedTo = moveAside(file, clock.now())
    const fact = `it is damaged (${error.message}); it was moved to ${movedTo}, and a new empty one was created`
    log.error({ code: 'ERR_STATE', file, movedTo }, `${file}: ${fact}. The bot's former state is only in that file`)
    return fact
  }
}

/** A write that is not committed yet. */
interface Write {
  /** A power failure must not undo it. */
  mustStay: boolean
  work: (statements: ReturnType<typeof prepare>) => boolean
  resolve: (done: boolean) => void
  reject: (error: unknown) => void
}

function prepare(db: Database, sync: CommitSync) {
  const alive = '(expires_at_ms IS NULL OR expires_at_ms > ?)'
  return {
    db,
    sync,
    get: db.prepare<Value>(`SELECT value, version, expires_at_ms FROM value WHERE bot = ? AND key = ? AND ${alive}`),
    version: db.prepare<{ version: number }>(`SELECT version FROM value WHERE bot = ? AND key = ? AND ${alive}`),
    // One counter for all keys: a version is never reused, even after its key was deleted.
    count: db.prepare<{ last: number }>('UPDATE counter SET last = last + 1 RETURNING last'),
    put: db.prepare('INSERT OR REPLACE INTO value (bot, key, value, version, expires_at_ms) VALUES (?, ?, ?, ?, ?)'),
    remove: db.prepare(`DELETE FROM value WHERE bot = ? AND key = ? AND ${alive} AND (? IS NULL OR version = ?)`),
    clean: db.prepare('DELETE FROM value WHERE expires_at_ms <= ?'),
    list: db.prepare<Value & { key: string }>(
      `SELECT key, value, version, expires_at_ms FROM value
       WHERE bot = ? AND key >= ? AND key > coalesce(?, '') AND (? IS NULL OR key < ?) AND ${alive} ORDER BY key LIMIT ?`,
    ),
  }
}

const toStored = ({ value, version, expires_at_ms }: Value): Stored => ({
  value: JSON.parse(value) as unknown,
  version,
  ...(expires_at_ms !== null && { expiresAtMs: expires_at_ms }),
})

/** Why a file cannot be used, and its fix, by the code of the error. */
export const reasons: Readonly<Record<string, string>> = {
  full: 'the disk is full, so nothing was changed: free some space',
  readonly: 'it cannot be written, so nothing was changed: check who owns the file and its folder',
  busy: 'another program has locked it: close that program',
  io: 'the disk cannot be read or written: free some space if it is full, otherwise check the disk',
}

const failed = (file: string, fact: string, cause?: unknown) =>
  new BotwrightError('ERR_STATE', `${file}: ${fact}`, { cause })
