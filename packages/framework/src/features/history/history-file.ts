import { existsSync } from 'node:fs'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Database, DatabaseError, migrate, openDatabase } from '@botwright/sqlite'
import type { StoredEvent } from './stored-event.ts'

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
  // Many events in one row, because writing a row costs more than most events. Each line of `lines` is a `StoredEvent`. An event that goes
  // on after it was written has additions.
  `CREATE TABLE part (id INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session (id), first_seq INTEGER NOT NULL,
     last_seq INTEGER NOT NULL, first_id INTEGER NOT NULL, last_id INTEGER NOT NULL, first_ms INTEGER NOT NULL,
     last_ms INTEGER NOT NULL, lines TEXT NOT NULL);
   CREATE TABLE addition (event INTEGER NOT NULL, n INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (event, n)) WITHOUT ROWID;
   INSERT INTO part (session, first_seq, last_seq, first_id, last_id, first_ms, last_ms, lines)
     SELECT session, seq, seq, id, id, at_ms, at_ms, json_object('seq', seq, 'at', at_ms,
       'event', json_object('id', id, 'type', type, 'created_at', created_at, 'data', json(data)),
       'steps', json(steps), 'calls', (SELECT json_group_array(json_object('name', name, 'atMs', call.at_ms, 'ms', call.ms,
         'input', json(input), 'attempts', attempts, 'status', status, 'code', code, 'error', call.error, 'created', created,
         'answer', json(answer))) FROM call WHERE event = seq),
       'result', result, 'file', file, 'ms', ms, 'error', error, 'where', at, 'failure', json(failure)) FROM event ORDER BY seq;
   DROP TABLE call;
   DROP TABLE event;`,
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

const isOlder = (db: Database): boolean => {
  const version = number(db, 'PRAGMA user_version')
  return number(db, 'PRAGMA application_id') === APPLICATION_ID && version > 0 && version < migrations.length
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
    if (isOlder(db)) {
      db.close()
      openHistoryFile(file).close()
      db = openDatabase(file, { readOnly: true })
    }
    if (number(db, 'PRAGMA application_id') !== APPLICATION_ID || number(db, 'PRAGMA user_version') === 0)
      throw new DatabaseError('corrupt', 'it is not a history of a bot')
    if (number(db, 'PRAGMA user_version') > migrations.length)
      throw new DatabaseError('newer_version', 'a newer release wrote it: use that release')
    return db
  } catch (error) {
    db?.close()
    if (!(error instanceof DatabaseError)) throw error
    const isHealthy = error.code in reasons || error.code === 'newer_version'
    const why = isHealthy ? whyNot(error) : `${error.message}; remove it to start a new one`
    throw new BotwrightError('ERR_CONFIG', `${file}: cannot be read: ${why}`, { cause: error })
  }
}

/** The statements that record events in a history file. */
export const recordingStatements = (db: Database) => ({
  part: db.prepare(
    `INSERT INTO part (session, first_seq, last_seq, first_id, last_id, first_ms, last_ms, lines) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  addition: db.prepare(
    'INSERT INTO addition (event, n, json) VALUES (?1, (SELECT coalesce(max(n), 0) + 1 FROM addition WHERE event = ?1), ?2)',
  ),
  known: db.prepare<{ lines: string }>(
    `SELECT lines FROM part JOIN session ON session.id = session WHERE ? BETWEEN first_id AND last_id AND bot_id = ?
     ORDER BY part.id DESC`,
  ),
  additions: db.prepare<{ json: string }>('SELECT json FROM addition WHERE event = ? ORDER BY n'),
  old: db.prepare('DELETE FROM part WHERE last_ms < ? OR last_seq <= ?'),
  partlyOld: db.prepare<Part>('SELECT id, lines FROM part WHERE first_ms < ? OR first_seq <= ?'),
  keep: db.prepare('UPDATE part SET first_seq = ?, first_id = ?, first_ms = ?, lines = ? WHERE id = ?'),
  remove: db.prepare('DELETE FROM part WHERE id = ?'),
  oldAdditions: db.prepare('DELETE FROM addition WHERE event < (SELECT coalesce(min(first_seq), ?) FROM part)'),
  empty: db.prepare('DELETE FROM session WHERE id <> ? AND id NOT IN (SELECT session FROM part)'),
})

interface Part {
  id: number
  lines: string
}

/** Deletes what is older than `sinceMs`, or not after the event `afterSeq`. `session`: the one that records now. */
export function pruneHistory(
  statements: ReturnType<typeof recordingStatements>,
  { sinceMs, afterSeq, lastSeq, session }: { sinceMs: number; afterSeq: number; lastSeq: number; session: number },
): void {
  const { old, partlyOld, keep, remove, oldAdditions, empty } = statements
  old.run(sinceMs, afterSeq)
  for (const { id, lines } of partlyOld.all(sinceMs, afterSeq)) {
    const kept = lines.split('\n').flatMap((line) => {
      const event = JSON.parse(line) as StoredEvent
      return event.at >= sinceMs && event.seq > afterSeq ? [{ line, event }] : []
    })
    if (kept.length === 0) remove.run(id)
    else
      keep.run(
        Math.min(...kept.map(({ event }) => event.seq)),
        Math.min(...kept.map(({ event }) => event.event.id)),
        Math.min(...kept.map(({ event }) => event.at)),
        kept.map(({ line }) => line).join('\n'),
        id,
      )
  }
  oldAdditions.run(lastSeq)
  empty.run(session)
}

/** Faults of the disk or of another program, with their fixes. */
const reasons: Readonly<Record<string, string>> = {
  full: 'the disk is full; free some space',
  readonly: 'the file cannot be written; check who owns it and its folder',
  busy: 'another program has locked it; close that program',
  io: 'the disk cannot be read or written; free some space if it is full, otherwise check the disk',
}

const whyNot = ({ code, message }: DatabaseError): string => reasons[code] ?? message

/** Why a history cannot be written, and the fix. */
export function whyNotWritten(error: unknown): string {
  if (!(error instanceof DatabaseError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'corrupt') return 'the file is damaged, or belongs to another program; remove it'
  return whyNot(error)
}
