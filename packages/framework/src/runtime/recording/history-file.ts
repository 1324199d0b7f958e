import { existsSync } from 'node:fs'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Database, DatabaseError, migrate, openDatabase } from '@botwright/sqlite'

/** Marks the file as a history ("Both"), so that another program's database is not mistaken for an empty one. */
const APPLICATION_ID = 0x426f7468

const migrations = [
  `CREATE TABLE session (id INTEGER PRIMARY KEY, base_url TEXT NOT NULL, bot_id TEXT NOT NULL, username TEXT NOT NULL,
     started_ms INTEGER NOT NULL);
   CREATE TABLE event (seq INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), id INTEGER NOT NULL,
     type TEXT NOT NULL, created_at TEXT NOT NULL, at_ms INTEGER NOT NULL, data TEXT, file TEXT, ms REAL, result TEXT, error TEXT);
   CREATE INDEX event_id ON event (id);
   CREATE INDEX event_at ON event (at_ms);
   CREATE TABLE call (event INTEGER NOT NULL REFERENCES event (seq) ON DELETE CASCADE, n INTEGER NOT NULL, name TEXT NOT NULL,
     input TEXT, ms REAL NOT NULL, code TEXT, error TEXT, created TEXT, answer TEXT, PRIMARY KEY (event, n)) WITHOUT ROWID;`,
  'ALTER TABLE event ADD COLUMN at TEXT;',
  `ALTER TABLE event ADD COLUMN steps TEXT;
   ALTER TABLE event ADD COLUMN failure TEXT;
   ALTER TABLE call ADD COLUMN at_ms REAL;
   ALTER TABLE call ADD COLUMN attempts INTEGER;
   ALTER TABLE call ADD COLUMN status INTEGER;`,
]

const number = (db: Database, sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0])

/** Opens a bot's history for writing and creates it if missing. Throws `DatabaseError`. */
export function openHistoryFile(file: string): Database {
  const db = openDatabase(file, { busyTimeoutMs: 200 })
  try {
    if (number(db, 'PRAGMA application_id') !== APPLICATION_ID) {
      if (number(db, 'SELECT count(*) FROM sqlite_master') > 0)
        throw new DatabaseError('corrupt', 'it is the database of another program')
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    }
    migrate(db, migrations)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a bot's history for reading, even while the bot writes to it. Throws `ERR_CONFIG` with the fix. */
export function readHistoryFile(file: string): Database {
  if (!existsSync(file))
    throw new BotwrightError(
      'ERR_CONFIG',
      `there is no ${file}: nothing has been recorded yet. "framework dev" always records; "framework start" records with record: true in bot.config.ts`,
    )
  let db: Database | undefined
  try {
    db = openDatabase(file, { readOnly: true })
    if (number(db, 'PRAGMA application_id') !== APPLICATION_ID || number(db, 'PRAGMA user_version') === 0)
      throw new DatabaseError('corrupt', 'it is not a history of a bot')
    if (number(db, 'PRAGMA user_version') > migrations.length)
      throw new DatabaseError('newer_version', 'a newer release wrote it: use that release')
    return db
  } catch (error) {
    db?.close()
    if (!(error instanceof DatabaseError)) throw error
    throw new BotwrightError('ERR_CONFIG', `${file}: cannot be read (${error.message}); remove it to start a new one`, {
      cause: error,
    })
  }
}

const outcomeColumns = ['file', 'ms', 'result', 'error', 'at', 'failure']

/** The statements that record events in a history file. The values of an outcome are in the order of `outcomeColumns`. */
export const recordingStatements = (db: Database) => ({
  event: db.prepare(
    `INSERT INTO event (seq, session, id, type, created_at, at_ms, data, steps, ${outcomeColumns.join()})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  call: db.prepare(
    // The event may have been pruned during the call.
    `INSERT OR IGNORE INTO call (event, n, name, input, ms, code, error, created, answer, at_ms, attempts, status)
     SELECT seq, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM event WHERE seq = ?`,
  ),
  outcome: db.prepare(`UPDATE event SET ${outcomeColumns.map((name) => `${name} = ?`).join()} WHERE seq = ?`),
  step: db.prepare('UPDATE event SET steps = json_set(steps, ?, json(?)) WHERE seq = ?'),
  old: db.prepare('DELETE FROM event WHERE at_ms < ? OR seq <= ?'),
  empty: db.prepare('DELETE FROM session WHERE id <> ? AND id NOT IN (SELECT session FROM event)'),
})
